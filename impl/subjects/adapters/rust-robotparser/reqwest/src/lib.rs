//! Stands in for reqwest: the types that robotparser names, none of which can fetch
//! anything. Parsing and matching do not use them.

use std::convert::Infallible;
use std::fmt;
use std::future::{ready, Ready};

/// There is never one.
#[derive(Debug)]
pub struct Error(Infallible);

impl fmt::Display for Error {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {}
    }
}

impl std::error::Error for Error {}

pub struct Method;

impl Method {
    pub const GET: Method = Method;
}

pub mod header {
    pub struct HeaderName;
    pub const USER_AGENT: HeaderName = HeaderName;

    pub struct HeaderValue;
    impl HeaderValue {
        pub fn from_static(_: &'static str) -> HeaderValue {
            HeaderValue
        }
    }

    pub struct HeaderMap;
    impl HeaderMap {
        pub fn insert(&mut self, _: HeaderName, _: HeaderValue) -> Option<HeaderValue> {
            None
        }
    }
}

pub struct Request(header::HeaderMap);

impl Request {
    pub fn new(_: Method, _: url::Url) -> Request {
        Request(header::HeaderMap)
    }
    pub fn headers_mut(&mut self) -> &mut header::HeaderMap {
        &mut self.0
    }
}

pub struct StatusCode;

impl StatusCode {
    pub fn as_u16(&self) -> u16 {
        unreachable!("this reqwest fetches nothing")
    }
}

pub struct Client;

impl Client {
    pub fn execute(&self, _: Request) -> Ready<Result<Response, Error>> {
        unreachable!("this reqwest fetches nothing")
    }
}

pub struct Response;

impl Response {
    pub fn status(&self) -> StatusCode {
        StatusCode
    }
    pub fn text(self) -> Ready<Result<String, Error>> {
        ready(Ok(String::new()))
    }
}

pub mod blocking {
    pub use super::Request;
    use super::{Error, StatusCode};

    pub struct Client;

    impl Client {
        pub fn execute(&self, _: Request) -> Result<Response, Error> {
            unreachable!("this reqwest fetches nothing")
        }
    }

    pub struct Response;

    impl Response {
        pub fn status(&self) -> StatusCode {
            StatusCode
        }
        pub fn text(self) -> Result<String, Error> {
            Ok(String::new())
        }
    }
}
