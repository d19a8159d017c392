//! repcheck adapter for robots_txt.

use std::borrow::Cow;

use kit::Refusal;
use robots_txt::matcher::SimpleMatcher;
use robots_txt::Robots;

struct Adapter;

impl kit::Library for Adapter {
    type Input = str;
    type Parsed<'a> = Robots<'a>;

    fn decode(octets: &[u8]) -> Cow<'_, str> {
        String::from_utf8_lossy(octets)
    }

    fn parse<'a>(text: &'a str, _agent: &str) -> Result<Robots<'a>, Refusal> {
        Ok(Robots::from_str_lossy(text))
    }

    fn ask(robots: &Robots<'_>, agent: &str, url: &str) -> Result<bool, Refusal> {
        let section = robots.choose_section(agent);
        Ok(SimpleMatcher::new(&section.rules).check_path(&kit::path_and_query(url)))
    }
}

fn main() {
    kit::serve::<Adapter>(&kit::About {
        name: "rust-robots-txt",
        package: "robots_txt",
        lineage: "robots_txt",
        lock: include_str!("../Cargo.lock"),
    });
}
