//! repcheck adapter for robotparser-rs, asked as its README shows.

use std::borrow::Cow;

use kit::Refusal;
use robotparser_rs::RobotFileParser;

struct Adapter;

impl kit::Library for Adapter {
    type Input = str;
    type Parsed<'a> = RobotFileParser;

    fn decode(octets: &[u8]) -> Cow<'_, str> {
        String::from_utf8_lossy(octets)
    }

    fn parse(text: &str, _agent: &str) -> Result<RobotFileParser, Refusal> {
        // "" is documented as no URL; where the file is from has no part in what it allows.
        let mut parser = RobotFileParser::new("");
        let lines: Vec<&str> = text.lines().collect();
        parser.parse(&lines);
        Ok(parser)
    }

    fn ask(parser: &RobotFileParser, agent: &str, url: &str) -> Result<bool, Refusal> {
        // An error is documented for a URL with a malformed authority, and for nothing else.
        parser.can_fetch(agent, url).map_err(|e| Refusal::Reject(format!("{e:?}")))
    }
}

fn main() {
    kit::serve::<Adapter>(&kit::About {
        name: "rust-robotparser-rs",
        package: "robotparser-rs",
        lineage: "python-robotparser",
        lock: include_str!("../Cargo.lock"),
    });
}
