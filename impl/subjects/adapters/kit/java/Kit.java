import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The loop that the Java adapters share. impl/process/protocol.go describes the protocol.
 *
 * <p>An adapter identifies its library and provides two functions:
 *
 * <pre>
 * Kit.serve("java-library", "group:library", "lineage",
 *     Kit.forAnyAgent(robots -&gt; Library.parse(robots)),
 *     (parsed, agent, url) -&gt; parsed.allows(agent, Kit.pathAndQuery(url)));
 * </pre>
 *
 * <p>The first reads a file, and the second tests one URL. If the library needs the agent when it
 * reads the file, the first is {@code (robots, agent) -> …}, and the file is read again for each
 * agent.
 *
 * <p>If either throws an exception or an Error, the answer is "error", except for two classes:
 * {@link Reject} is a refusal that the library documents, and {@link Unsupported} a query that
 * its interface cannot express. If the first throws, all URLs of the file get that answer.
 *
 * <p>Agents and URLs are Strings in every Java library, so the loop answers "unsupported" if one
 * is not UTF-8. ns is the time inside the two functions, so it includes decoding the file, but not
 * JSON. Output to System.out goes to stderr.
 */
final class Kit {
  /** Reads a file. */
  interface Parse<P> {
    P parse(byte[] robots, String agent) throws Throwable;

    /** Whether the parsed file depends on the agent. */
    default boolean needsAgent() {
      return true;
    }
  }

  /** Reads a file in the same way for every agent. */
  interface ParseForAny<P> {
    P parse(byte[] robots) throws Throwable;
  }

  /** Tests one URL. */
  interface Ask<P> {
    boolean ask(P parsed, String agent, String url) throws Throwable;
  }

  /** A refusal that the library documents, with its message. */
  static final class Reject extends Exception {
    Reject(String text) {
      super(text);
    }
  }

  /** The library's interface cannot express the query; the message is the reason. */
  static final class Unsupported extends Exception {
    Unsupported(String why) {
      super(why);
    }
  }

  static <P> Parse<P> forAnyAgent(ParseForAny<P> parse) {
    return new Parse<>() {
      @Override
      public P parse(byte[] robots, String agent) throws Throwable {
        return parse.parse(robots);
      }

      @Override
      public boolean needsAgent() {
        return false;
      }
    };
  }

  /**
   * Removes scheme and authority: "http://h:80/a?b#c" gives "/a?b#c". Nothing is decoded or
   * normalised, and the fragment stays. An empty path becomes "/", because every client sends
   * at least that ("http://h?x" gives "/?x").
   */
  static String pathAndQuery(String url) {
    int authority = 0;
    int colon = url.indexOf("://");
    if (colon >= 0 && firstOf(url, 0) > colon) {
      authority = colon + 3;
    } else if (url.startsWith("//")) {
      authority = 2;
    }
    String path = url.substring(firstOf(url, authority));
    return path.startsWith("/") ? path : "/" + path;
  }

  /** The index of the first of / ? # at or after from, or the length if there is none. */
  private static int firstOf(String url, int from) {
    while (from < url.length() && "/?#".indexOf(url.charAt(from)) < 0) {
      from++;
    }
    return from;
  }

  /** Answers requests until stdin ends. */
  static <P> void serve(String name, String artifact, String lineage, Parse<P> parse, Ask<P> ask)
      throws IOException {
    InputStream requests = new BufferedInputStream(new FileInputStream(FileDescriptor.in), 1 << 16);
    OutputStream answers = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16);
    System.setOut(System.err); // a stray println must not look like an answer
    Loop<P> loop = new Loop<>(parse, ask);
    for (String line = line(requests); line != null; line = line(requests)) {
      JsonObject request = JsonParser.parseString(line).getAsJsonObject();
      JsonObject answer =
          request.has("hello") ? hello(name, artifact, lineage) : loop.answer(request);
      answers.write(answer.toString().getBytes(StandardCharsets.UTF_8));
      answers.write('\n');
      answers.flush();
    }
  }

  /** The next line, which only LF ends; null at the end. */
  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream(512);
    int octet = in.read();
    if (octet < 0) {
      return null;
    }
    for (; octet >= 0 && octet != '\n'; octet = in.read()) {
      line.write(octet);
    }
    return line.toString(StandardCharsets.UTF_8);
  }

  private static JsonObject hello(String name, String artifact, String lineage) {
    JsonObject hello = new JsonObject();
    hello.addProperty("hello", 1);
    hello.addProperty("name", name);
    hello.addProperty("package", artifact);
    hello.addProperty("version", version(artifact));
    hello.addProperty("language", "java");
    hello.addProperty("lineage", lineage);
    JsonArray features = new JsonArray();
    features.add("time");
    features.add("hash");
    hello.add("features", features);
    hello.addProperty("window", 256);
    return hello;
  }

  /** The version in the name of the loaded jar, because not every manifest has it. */
  private static String version(String artifact) {
    String name = Pattern.quote(artifact.substring(artifact.indexOf(':') + 1));
    Matcher jar =
        Pattern.compile("(?:^|[/\\\\:;])" + name + "-(\\d[^/\\\\:;]*)\\.jar")
            .matcher(System.getProperty("java.class.path"));
    return jar.find() ? jar.group(1) : "unknown";
  }

  private static final class Loop<P> {
    private final Parse<P> parse;
    private final Ask<P> ask;

    private byte[] robots; // the last file: requests for one file come in a row
    private String hash; // of that file, from the harness
    private boolean isRead;
    private String reader; // the agent that it was read for
    private P parsed; // the result of reading it,
    private JsonObject failed; // or the answer for an exception
    private long ns;

    Loop(Parse<P> parse, Ask<P> ask) {
      this.parse = parse;
      this.ask = ask;
    }

    JsonObject answer(JsonObject request) {
      ns = 0;
      JsonObject answer;
      try {
        answer = about(request);
      } catch (Unsupported why) {
        answer = thrown(why);
      }
      answer.add("id", request.get("id"));
      answer.addProperty("ns", ns);
      return answer;
    }

    private JsonObject about(JsonObject request) throws Unsupported {
      if (!load(request)) {
        return said("error", "unknown hash " + request.get("hash"));
      }
      String agent = string(request, "agent");
      read(agent);
      if (failed != null) {
        return failed.deepCopy();
      }
      boolean text = request.has("urls");
      if (!text && !request.has("urls_b64")) {
        JsonElement allow = one(agent, string(request, "url"));
        JsonObject answer = new JsonObject();
        answer.add("allow", allow);
        return allow instanceof JsonObject thrown ? thrown : answer;
      }
      JsonArray allows = new JsonArray();
      for (JsonElement url : request.getAsJsonArray(text ? "urls" : "urls_b64")) {
        try {
          allows.add(one(agent, text ? url.getAsString() : text(url, "url")));
        } catch (Unsupported why) {
          allows.add(thrown(why));
        }
      }
      JsonObject answer = new JsonObject();
      answer.add("allows", allows);
      return answer;
    }

    /** Keeps the file of a request; false if it has neither a file nor the hash of the last one. */
    private boolean load(JsonObject request) {
      byte[] octets;
      if (request.has("robots")) {
        octets = request.get("robots").getAsString().getBytes(StandardCharsets.UTF_8);
      } else if (request.has("robots_b64")) {
        octets = Base64.getDecoder().decode(request.get("robots_b64").getAsString());
      } else {
        return request.has("hash") && request.get("hash").getAsString().equals(hash);
      }
      if (!Arrays.equals(octets, robots)) {
        robots = octets;
        isRead = false;
      }
      hash = request.has("hash") ? request.get("hash").getAsString() : null;
      return true;
    }

    private void read(String agent) {
      if (isRead && (!parse.needsAgent() || agent.equals(reader))) {
        return;
      }
      isRead = true;
      reader = agent;
      parsed = null;
      failed = null;
      long start = System.nanoTime();
      try {
        parsed = parse.parse(robots, agent);
      } catch (Throwable thrown) { // includes StackOverflowError and OutOfMemoryError
        failed = thrown(thrown);
      } finally {
        ns += System.nanoTime() - start;
      }
    }

    /** True, false, or an object that describes the exception. */
    private JsonElement one(String agent, String url) {
      long start = System.nanoTime();
      try {
        return new JsonPrimitive(ask.ask(parsed, agent, url));
      } catch (Throwable thrown) {
        return thrown(thrown);
      } finally {
        ns += System.nanoTime() - start;
      }
    }

    private static JsonObject thrown(Throwable thrown) {
      if (thrown instanceof Reject) {
        return said("reject", thrown.getMessage());
      }
      if (thrown instanceof Unsupported) {
        return said("unsupported", thrown.getMessage());
      }
      String text = thrown.toString();
      return said("error", text.substring(0, Math.min(text.length(), 1000)));
    }

    private static JsonObject said(String verdict, String text) {
      JsonObject answer = new JsonObject();
      answer.addProperty(verdict, text);
      return answer;
    }

    private static String string(JsonObject request, String key) throws Unsupported {
      return request.has(key)
          ? request.get(key).getAsString()
          : text(request.get(key + "_b64"), key);
    }

    private static String text(JsonElement base64, String key) throws Unsupported {
      byte[] octets = Base64.getDecoder().decode(base64.getAsString());
      try {
        return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(octets)).toString();
      } catch (CharacterCodingException no) {
        throw new Unsupported("the library takes a String, and this " + key + " is no UTF-8");
      }
    }
  }
}
