//! repcheck adapter for robotstxt-rs, asked as its README shows.

use std::borrow::Cow;

use kit::Refusal;
use robotstxt_rs::RobotsTxt;

struct Adapter;

impl kit::Library for Adapter {
    type Input = str;
    type Parsed<'a> = RobotsTxt;

    fn decode(octets: &[u8]) -> Cow<'_, str> {
        // from_url parses text() of a response, which comes down to this.
        encoding_rs::UTF_8.decode(octets).0
    }

    fn parse(text: &str, _agent: &str) -> Result<RobotsTxt, Refusal> {
        Ok(RobotsTxt::parse(text))
    }

    fn ask(robots: &RobotsTxt, agent: &str, url: &str) -> Result<bool, Refusal> {
        // can_fetch is documented for a path, and would match a whole URL as one.
        Ok(robots.can_fetch(agent, &kit::path_and_query(url)))
    }
}

fn main() {
    kit::serve::<Adapter>(&kit::About {
        name: "rust-robotstxt-rs",
        package: "robotstxt-rs",
        lineage: "robotstxt-rs",
        lock: include_str!("../Cargo.lock"),
    });
}
