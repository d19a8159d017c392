//! repcheck adapter for robotstxt, asked as its README shows.

use std::borrow::Cow;

use kit::Refusal;
use robotstxt::DefaultMatcher;

struct Adapter;

impl kit::Library for Adapter {
    type Input = str;
    /// The text itself: the matcher parses while it matches, and keeps nothing.
    type Parsed<'a> = &'a str;

    fn decode(octets: &[u8]) -> Cow<'_, str> {
        String::from_utf8_lossy(octets)
    }

    fn parse<'a>(text: &'a str, _agent: &str) -> Result<&'a str, Refusal> {
        Ok(text)
    }

    fn ask(text: &&str, agent: &str, url: &str) -> Result<bool, Refusal> {
        // The matcher borrows what it is asked for as long as it lives: a new one each time.
        Ok(DefaultMatcher::default().one_agent_allowed_by_robots(text, agent, url))
    }
}

fn main() {
    kit::serve::<Adapter>(&kit::About {
        name: "rust-robotstxt",
        package: "robotstxt",
        lineage: "google",
        lock: include_str!("../Cargo.lock"),
    });
}
