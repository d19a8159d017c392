package process

import "strings"

// hint returns an example in the language that fixes the problem found by the
// check, or "" if there is none.
func hint(language, check string) string { return hints[check][strings.ToLower(language)] }

// hints are code examples, by check and language.
var hints = map[string]map[string]string{
	"flush": {
		"python": "print(json.dumps(answer), flush=True)", "javascript": "process.stdout.write(JSON.stringify(answer) + '\\n')",
		"java": "out.println(answer); out.flush();", "rust": "writeln!(out, \"{answer}\")?; out.flush()?;", "go": "w.Flush() after each answer",
		"ruby": "$stdout.sync = true", "perl": "$| = 1;", "c": "fflush(stdout);", "c++": "std::cout << answer << std::endl;", "php": "echo $answer, \"\\n\"; flush();",
	},
	"stdout": {
		"python": "answers, sys.stdout = sys.stdout, sys.stderr", "javascript": "console.log = console.error",
		"java": "PrintStream answers = System.out; System.setOut(System.err);", "rust": "eprintln! for logs", "go": "os.Stdout = os.Stderr, after keeping the old one for answers",
		"ruby": "answers = $stdout.dup; $stdout.reopen($stderr)", "perl": "open my $answers, '>&', \\*STDOUT; open STDOUT, '>&', \\*STDERR;",
		"c": "int answers = dup(1); dup2(2, 1);", "c++": "int answers = dup(1); dup2(2, 1);",
	},
	"odd-input": {
		"python": "try: … except Exception as e: answer = {\"id\": q[\"id\"], \"error\": repr(e)}", "javascript": "try { … } catch (e) { answer = {id: q.id, error: String(e)} }",
		"java": "catch (Throwable e) { answer.put(\"error\", e.toString()); }", "rust": "std::panic::catch_unwind(AssertUnwindSafe(|| …))", "go": "defer func() { if r := recover(); r != nil { … } }()",
		"ruby": "rescue StandardError, SystemStackError => e", "perl": "eval { …; 1 } or $answer->{error} = $@;", "c++": "catch (const std::exception& e)", "php": "catch (Throwable $e) { $answer['error'] = (string)$e; }",
	},
	"utf-8": {
		"python": "for line in sys.stdin.buffer: q = json.loads(line)", "java": "new InputStreamReader(System.in, StandardCharsets.UTF_8)",
		"ruby": "$stdin.set_encoding('UTF-8')", "perl": "binmode STDIN; decode_json($line)", "javascript": "process.stdin.setEncoding('utf8')",
	},
	"base64": {
		"python": "base64.b64decode(q[\"robots_b64\"])", "javascript": "Buffer.from(q.robots_b64, 'base64')", "java": "Base64.getDecoder().decode(…)",
		"rust": "the crate base64: STANDARD.decode(…)", "go": "a field of type []byte decodes it", "ruby": "q['robots_b64'].unpack1('m')", "perl": "MIME::Base64::decode_base64(…)", "php": "base64_decode($q['robots_b64'])",
	},
	"end": {
		"python": "for line in sys.stdin.buffer: …  # ends with stdin", "javascript": "for await (const line of readline.createInterface({input: process.stdin}))",
		"java": "while ((line = in.readLine()) != null)", "rust": "for line in stdin.lock().lines()", "go": "for scanner.Scan()", "ruby": "while (line = $stdin.gets)",
		"perl": "while (my $line = <STDIN>)", "c": "while (getline(&line, &size, stdin) > 0)", "c++": "while (std::getline(std::cin, line))", "php": "while (($line = fgets(STDIN)) !== false)",
	},
	"id": {"javascript": "id: q.id", "python": "\"id\": q[\"id\"]", "java": "a long, not an int", "rust": "a u64 or serde_json::Value", "c": "a long long or the text as it came"},
}
