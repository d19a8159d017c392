//! repcheck adapter for cylon.

use std::borrow::Cow;

use cylon::{Compiler, Cylon};
use kit::Refusal;

struct Adapter;

impl kit::Library for Adapter {
    type Input = [u8];
    type Parsed<'a> = Cylon;
    /// A Cylon keeps the rules of one agent only.
    const PER_AGENT: bool = true;

    fn decode(octets: &[u8]) -> Cow<'_, [u8]> {
        Cow::Borrowed(octets)
    }

    fn parse(octets: &[u8], agent: &str) -> Result<Cylon, Refusal> {
        // The README has a section on errors, which there are few of and some.
        pollster::block_on(Compiler::new(agent).compile(octets))
            .map_err(|e| Refusal::Reject(e.to_string()))
    }

    fn ask(cylon: &Cylon, agent: &str, url: &str) -> Result<bool, Refusal> {
        Self::ask_octets(cylon, agent, url.as_bytes())
    }

    fn ask_octets(cylon: &Cylon, _agent: &str, url: &[u8]) -> Result<bool, Refusal> {
        Ok(cylon.allow(kit::path_and_query_octets(url)))
    }
}

fn main() {
    kit::serve::<Adapter>(&kit::About {
        name: "rust-cylon",
        package: "cylon",
        lineage: "cylon",
        lock: include_str!("../Cargo.lock"),
    });
}
