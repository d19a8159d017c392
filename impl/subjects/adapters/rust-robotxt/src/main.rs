//! repcheck adapter for robotxt.

use std::borrow::Cow;

use kit::Refusal;
use robotxt::url::Url;
use robotxt::Robots;

struct Adapter;

impl kit::Library for Adapter {
    type Input = [u8];
    type Parsed<'a> = Robots;
    /// Robots keeps the rules of one agent only.
    const PER_AGENT: bool = true;

    fn decode(octets: &[u8]) -> Cow<'_, [u8]> {
        Cow::Borrowed(octets)
    }

    fn parse(octets: &[u8], agent: &str) -> Result<Robots, Refusal> {
        Ok(Robots::parse(octets, agent))
    }

    fn ask(robots: &Robots, _agent: &str, url: &str) -> Result<bool, Refusal> {
        let url = Url::parse(url)
            .map_err(|e| Refusal::Unsupported(format!("is_url_allowed takes a url::Url: {e}")))?;
        Ok(robots.is_url_allowed(&url))
    }
}

fn main() {
    kit::serve::<Adapter>(&kit::About {
        name: "rust-robotxt",
        package: "robotxt",
        lineage: "texting-robots",
        lock: include_str!("../Cargo.lock"),
    });
}
