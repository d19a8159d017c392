//! The loop that the Rust adapters share; the protocol is in impl/process/protocol.go.
//!
//! An adapter says how its library is called, and what it is:
//!
//! ```ignore
//! struct Adapter;
//!
//! impl kit::Library for Adapter {
//!     type Input = str;
//!     type Parsed<'a> = library::Robots<'a>;
//!
//!     fn decode(octets: &[u8]) -> Cow<'_, str> {
//!         String::from_utf8_lossy(octets)
//!     }
//!     fn parse<'a>(text: &'a str, _agent: &str) -> Result<Self::Parsed<'a>, Refusal> {
//!         Ok(library::Robots::parse(text))
//!     }
//!     fn ask(robots: &Self::Parsed<'_>, agent: &str, url: &str) -> Result<bool, Refusal> {
//!         Ok(robots.allows(agent, url))
//!     }
//! }
//!
//! fn main() {
//!     kit::serve::<Adapter>(&kit::About {
//!         name: "rust-library",
//!         package: "library",
//!         lineage: "library",
//!         lock: include_str!("../Cargo.lock"),
//!     });
//! }
//! ```
//!
//! A panic in any of the three is the answer "error". One that aborts the process, as
//! a stack overflow does, is left to the harness. All libraries take agents as &str, and most
//! take URLs so: what is no UTF-8 then is answered "unsupported" here. None tells which
//! line decided, so there is no room for one.

use std::any::Any;
use std::borrow::Cow;
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::panic::{self, AssertUnwindSafe};
use std::time::Instant;

use base64::prelude::{Engine, BASE64_STANDARD};
use serde_json::{json, Map, Value};

/// How a library is called.
pub trait Library {
    /// What the library parses: str or [u8].
    type Input: ToOwned + ?Sized;
    /// A parsed file, which may borrow from the input.
    type Parsed<'a>;
    /// Whether the library wants to know the agent before it parses.
    const PER_AGENT: bool = false;

    /// Makes the input of the octets of a file.
    fn decode(octets: &[u8]) -> Cow<'_, Self::Input>;
    /// Called once for each file and, if PER_AGENT, again whenever the agent changes.
    fn parse<'a>(input: &'a Self::Input, agent: &str) -> Result<Self::Parsed<'a>, Refusal>;
    /// Called once for each URL.
    fn ask(parsed: &Self::Parsed<'_>, agent: &str, url: &str) -> Result<bool, Refusal>;
    /// Stands before ask, for a library that takes URLs as octets.
    fn ask_octets(parsed: &Self::Parsed<'_>, agent: &str, url: &[u8]) -> Result<bool, Refusal> {
        Self::ask(
            parsed,
            agent,
            std::str::from_utf8(url).map_err(|_| no_utf8("URL"))?,
        )
    }
}

/// Why there is no verdict.
#[derive(Clone)]
pub enum Refusal {
    /// The library refuses the input as it documents; holds its text.
    Reject(String),
    /// The library's interface has no room for the question; says why.
    Unsupported(String),
    /// The library failed.
    Error(String),
}

/// What an adapter says of itself.
pub struct About {
    pub name: &'static str,
    pub package: &'static str,
    pub lineage: &'static str,
    /// The Cargo.lock that the adapter was built with, which says the version.
    pub lock: &'static str,
}

/// Cuts off what stands before the path: "http://h:80/a?b#c" gives "/a?b#c".
///
/// For libraries that ask for a path. Nothing is decoded, encoded or normalised. The one
/// exception is RFC 3986 section 6.2.3: an empty path is "/", so "http://h?x" gives "/?x".
pub fn path_and_query(url: &str) -> Cow<'_, str> {
    match &url[path_start(url.as_bytes())..] {
        rest if rest.is_empty() || rest.starts_with(['?', '#']) => Cow::Owned(format!("/{rest}")),
        rest => Cow::Borrowed(rest),
    }
}

/// Does the same with octets.
pub fn path_and_query_octets(url: &[u8]) -> Cow<'_, [u8]> {
    match &url[path_start(url)..] {
        rest @ ([] | [b'?' | b'#', ..]) => Cow::Owned([b"/", rest].concat()),
        rest => Cow::Borrowed(rest),
    }
}

/// Where scheme and authority end, either of which may be missing (RFC 3986 section 3).
fn path_start(url: &[u8]) -> usize {
    let scheme = url
        .iter()
        .position(|b| !b.is_ascii_alphanumeric() && !b"+-.".contains(b))
        .filter(|&end| url[end] == b':' && url[0].is_ascii_alphabetic());
    let after = scheme.map_or(0, |colon| colon + 1);
    match url[after..].strip_prefix(b"//") {
        Some(rest) => {
            let authority = rest
                .iter()
                .position(|b| b"/?#".contains(b))
                .unwrap_or(rest.len());
            after + 2 + authority
        }
        None => after,
    }
}

/// Answers requests until stdin ends.
pub fn serve<L: Library>(about: &About) {
    keep_panics();
    let mut pipe = Pipe::open(about);
    let mut next = pipe.receive();
    while let Some(mut request) = next {
        next = match request.file.take() {
            Some(Ok(octets)) => one_file::<L>(&mut pipe, request, &octets),
            Some(Err(why)) => {
                pipe.answer(&request, Err(Refusal::Error(why)), 0);
                pipe.receive()
            }
            None => {
                pipe.answer(&request, Err(request.lost()), 0);
                pipe.receive()
            }
        };
    }
}

/// Answers all requests about one file, since they come in a row, and returns the first
/// one about another. What the library made of the file may borrow from it, which is why
/// it is kept in this call and not beside the file in a struct.
fn one_file<L: Library>(pipe: &mut Pipe, first: Request, octets: &[u8]) -> Option<Request> {
    let mut request = first;
    let mut hash = request.hash.clone();
    let mut ns = 0;
    let input = guard(&mut ns, || Ok(L::decode(octets)));
    let mut parsed: Option<(String, Result<L::Parsed<'_>, Refusal>)> = None;
    loop {
        let outcome = request.agent.clone().and_then(|agent| {
            let input = input.as_ref().map_err(Refusal::clone)?;
            if !matches!(&parsed, Some((of, _)) if !L::PER_AGENT || *of == agent) {
                let robots = guard(&mut ns, || L::parse(input, &agent));
                parsed = Some((agent.clone(), robots));
            }
            let (_, robots) = parsed.as_ref().expect("was parsed above");
            let robots = robots.as_ref().map_err(Refusal::clone)?;
            Ok(request
                .urls
                .iter()
                .map(|url| {
                    let url = url.as_ref().map_err(Refusal::clone)?;
                    guard(&mut ns, || L::ask_octets(robots, &agent, url))
                })
                .collect())
        });
        pipe.answer(&request, outcome, ns);
        ns = 0;
        request = pipe.receive()?;
        match &request.file {
            Some(Ok(other)) if other == octets => hash = request.hash.clone(),
            Some(_) => return Some(request),
            None if request.hash.is_some() && request.hash == hash => {}
            None => return Some(request),
        }
    }
}

/// Calls the library; adds the nanoseconds that it takes, and turns a panic into an error.
fn guard<T>(ns: &mut u64, call: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Refusal> {
    let start = Instant::now();
    let result = panic::catch_unwind(AssertUnwindSafe(call));
    *ns += start.elapsed().as_nanos() as u64;
    result.unwrap_or_else(|_: Box<dyn Any + Send>| Err(Refusal::Error(PANIC.take())))
}

thread_local! {
    /// The text of the last panic.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Has the text and place of every panic kept for the answer, and sent to stderr.
fn keep_panics() {
    panic::set_hook(Box::new(|info| {
        let payload = info.payload();
        let text = payload
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("no text");
        let place = info.location().map_or(String::new(), |l| {
            // Where the sources of crates are kept says nothing of the library.
            let mut file = l.file();
            if let Some((_, rest)) = file.split_once("/registry/src/") {
                file = rest.split_once('/').map_or(rest, |(_, rest)| rest);
            }
            format!(" at {file}:{}", l.line())
        });
        let text: String = text.chars().take(1000).collect();
        let said = format!("panic: {text}{place}");
        eprintln!("{said}");
        PANIC.replace(said);
    }));
}

/// A request, its fields decoded as far as they can be.
struct Request {
    id: Value,
    /// The octets of the file, or why there are none in spite of the field.
    file: Option<Result<Vec<u8>, String>>,
    hash: Option<String>,
    agent: Result<String, Refusal>,
    urls: Vec<Result<Vec<u8>, Refusal>>,
    /// Whether the answer is about one URL and not about a list.
    single: bool,
}

impl Request {
    fn new(mut fields: Map<String, Value>) -> Request {
        let mut take = |key: &str| fields.remove(key).unwrap_or(Value::Null);
        let file = match (take("robots"), take("robots_b64")) {
            (Value::String(text), _) => Some(Ok(text.into_bytes())),
            (_, Value::String(text)) => Some(
                BASE64_STANDARD
                    .decode(text)
                    .map_err(|e| format!("robots_b64: {e}")),
            ),
            _ => None,
        };
        let agent = octets("agent", take("agent"), take("agent_b64"))
            .and_then(|agent| String::from_utf8(agent).map_err(|_| no_utf8("agent")));
        let (urls, single) = match (take("urls"), take("urls_b64")) {
            (Value::Array(list), _) => (
                list.into_iter()
                    .map(|u| octets("url", u, Value::Null))
                    .collect(),
                false,
            ),
            (_, Value::Array(list)) => (
                list.into_iter()
                    .map(|u| octets("url", Value::Null, u))
                    .collect(),
                false,
            ),
            _ => (vec![octets("url", take("url"), take("url_b64"))], true),
        };
        let hash = match take("hash") {
            Value::String(hash) => Some(hash),
            _ => None,
        };
        Request {
            id: take("id"),
            file,
            hash,
            agent,
            urls,
            single,
        }
    }

    /// What to say to a request without a file that is not about the last one.
    fn lost(&self) -> Refusal {
        Refusal::Error(match &self.hash {
            Some(hash) => format!("unknown hash {hash}"),
            None => "no file".to_string(),
        })
    }
}

/// The octets of a field, which may be text or base64.
fn octets(what: &str, text: Value, encoded: Value) -> Result<Vec<u8>, Refusal> {
    match (text, encoded) {
        (Value::String(text), _) => Ok(text.into_bytes()),
        (_, Value::String(text)) => BASE64_STANDARD
            .decode(text)
            .map_err(|e| Refusal::Error(format!("{what}_b64: {e}"))),
        _ => Err(Refusal::Error(format!("no {what}"))),
    }
}

fn no_utf8(what: &str) -> Refusal {
    Refusal::Unsupported(format!(
        "the library takes &str, and this {what} is no UTF-8"
    ))
}

/// Where requests come from and answers go.
struct Pipe {
    requests: BufReader<io::Stdin>,
    answers: File,
    hello: Value,
}

impl Pipe {
    fn open(about: &About) -> Pipe {
        let hello = json!({
            "hello": 1, "name": about.name, "package": about.package,
            "version": locked(about.lock, about.package), "language": "rust",
            "lineage": about.lineage, "features": ["time", "hash"], "window": 256,
        });
        Pipe {
            requests: BufReader::with_capacity(1 << 16, io::stdin()),
            answers: take_stdout(),
            hello,
        }
    }

    /// Returns the next request, or None at the end of stdin. Answers what is none itself.
    fn receive(&mut self) -> Option<Request> {
        let mut line = Vec::new();
        loop {
            line.clear();
            if self
                .requests
                .read_until(b'\n', &mut line)
                .expect("reading stdin")
                == 0
            {
                return None;
            }
            let fields: Map<String, Value> =
                serde_json::from_slice(&line).expect("a request is a JSON object");
            if !fields.contains_key("hello") {
                return Some(Request::new(fields));
            }
            let hello = self.hello.clone();
            self.send(&hello);
        }
    }

    fn answer(
        &mut self,
        request: &Request,
        outcome: Result<Vec<Result<bool, Refusal>>, Refusal>,
        ns: u64,
    ) {
        let mut answer = match outcome {
            Err(refusal) => spell(Err(refusal), true),
            Ok(mut outcomes) if request.single => spell(outcomes.remove(0), true),
            Ok(outcomes) => {
                json!({"allows": outcomes.into_iter().map(|o| spell(o, false)).collect::<Value>()})
            }
        };
        answer["id"] = request.id.clone();
        answer["ns"] = ns.into();
        self.send(&answer);
    }

    fn send(&mut self, answer: &Value) {
        let mut line = answer.to_string();
        line.push('\n');
        self.answers
            .write_all(line.as_bytes())
            .expect("writing to stdout");
    }
}

/// An outcome in the words of the protocol: an answer, or an element of allows.
fn spell(outcome: Result<bool, Refusal>, top: bool) -> Value {
    match outcome {
        Ok(allow) if top => json!({ "allow": allow }),
        Ok(allow) => Value::Bool(allow),
        Err(Refusal::Reject(text)) => json!({ "reject": text }),
        Err(Refusal::Unsupported(why)) => json!({ "unsupported": why }),
        Err(Refusal::Error(text)) => json!({ "error": text }),
    }
}

/// The version of a package in a Cargo.lock. There is no asking a crate for it once it is built.
fn locked(lock: &str, package: &str) -> String {
    let name = format!("name = \"{package}\"");
    lock.lines()
        .skip_while(|line| *line != name)
        .nth(1)
        .and_then(|line| line.strip_prefix("version = \"")?.strip_suffix('"'))
        .expect("the package is in Cargo.lock")
        .to_string()
}

/// Keeps stdout for answers, and sends to stderr what the library prints to it.
#[cfg(unix)]
fn take_stdout() -> File {
    use std::os::fd::{AsFd, AsRawFd};
    extern "C" {
        fn dup2(from: i32, to: i32) -> i32;
    }
    let answers = io::stdout()
        .as_fd()
        .try_clone_to_owned()
        .expect("duplicating stdout");
    // SAFETY: both descriptors are open, and those of the standard streams stay so.
    let done = unsafe { dup2(io::stderr().as_raw_fd(), io::stdout().as_raw_fd()) };
    assert!(
        done >= 0,
        "stdout cannot be redirected: {}",
        io::Error::last_os_error()
    );
    File::from(answers)
}
