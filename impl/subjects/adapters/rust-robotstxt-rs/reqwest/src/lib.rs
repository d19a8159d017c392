//! Stands in for reqwest: the types that robotstxt-rs names, none of which can fetch
//! anything. Parsing and matching do not use them.

use std::convert::Infallible;
use std::future::{ready, Ready};

/// There is never one.
pub type Error = Infallible;

pub struct Client;

impl Client {
    #[allow(clippy::new_without_default)]
    pub fn new() -> Client {
        Client
    }
    pub fn get(&self, _: &str) -> RequestBuilder {
        RequestBuilder
    }
}

pub struct RequestBuilder;

impl RequestBuilder {
    pub fn send(self) -> Ready<Result<Response, Error>> {
        unreachable!("this reqwest fetches nothing")
    }
}

pub struct Response;

impl Response {
    pub fn text(self) -> Ready<Result<String, Error>> {
        ready(Ok(String::new()))
    }
}
