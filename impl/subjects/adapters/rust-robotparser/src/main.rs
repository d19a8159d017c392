//! repcheck adapter for robotparser.

use std::borrow::Cow;
use std::cell::RefCell;

use kit::Refusal;
use robotparser::model::RobotsTxt;
use robotparser::parser::parse_robots_txt;
use robotparser::service::RobotsTxtService;
use url::{Origin, Url};

struct Adapter;

/// A file and what was parsed of it for the last origin: parse_robots_txt wants to know
/// where a file is from, and can_fetch refuses all URLs of other origins.
struct Robots<'a> {
    text: &'a str,
    last: RefCell<Option<(Origin, RobotsTxt)>>,
}

impl kit::Library for Adapter {
    type Input = str;
    type Parsed<'a> = Robots<'a>;

    /// As the library's clients do, with text() of reqwest: that is this function.
    fn decode(octets: &[u8]) -> Cow<'_, str> {
        encoding_rs::UTF_8.decode(octets).0
    }

    fn parse<'a>(text: &'a str, _agent: &str) -> Result<Robots<'a>, Refusal> {
        Ok(Robots {
            text,
            last: RefCell::new(None),
        })
    }

    fn ask(robots: &Robots<'_>, agent: &str, url: &str) -> Result<bool, Refusal> {
        let url = Url::parse(url)
            .map_err(|e| Refusal::Unsupported(format!("can_fetch takes a url::Url: {e}")))?;
        let mut last = robots.last.borrow_mut();
        let parsed = match last.take() {
            Some((origin, parsed)) if origin == url.origin() => parsed,
            _ => parse_robots_txt(url.origin(), robots.text).get_result(),
        };
        let (_, parsed) = last.insert((url.origin(), parsed));
        Ok(parsed.can_fetch(agent, &url))
    }
}

fn main() {
    kit::serve::<Adapter>(&kit::About {
        name: "rust-robotparser",
        package: "robotparser",
        lineage: "robotparser",
        lock: include_str!("../Cargo.lock"),
    });
}
