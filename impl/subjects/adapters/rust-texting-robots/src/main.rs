//! repcheck adapter for texting_robots.

use std::borrow::Cow;

use kit::Refusal;
use texting_robots::Robot;

struct Adapter;

impl kit::Library for Adapter {
    type Input = [u8];
    type Parsed<'a> = Robot;
    /// A Robot keeps the rules of one agent only.
    const PER_AGENT: bool = true;

    fn decode(octets: &[u8]) -> Cow<'_, [u8]> {
        Cow::Borrowed(octets)
    }

    fn parse(octets: &[u8], agent: &str) -> Result<Robot, Refusal> {
        // The documentation of new has a section on the errors that it returns.
        Robot::new(agent, octets).map_err(|e| Refusal::Reject(format!("{e:#}")))
    }

    fn ask(robot: &Robot, _agent: &str, url: &str) -> Result<bool, Refusal> {
        Ok(robot.allowed(url))
    }
}

fn main() {
    kit::serve::<Adapter>(&kit::About {
        name: "rust-texting-robots",
        package: "texting_robots",
        lineage: "texting-robots",
        lock: include_str!("../Cargo.lock"),
    });
}
