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
 * The loop that the Java adapters share; the protocol is in impl/process/protocol.go.
 *
 * <p>An adapter says what it is and gives two functions of its own:
 *
 * <pre>
 * Kit.serve("java-library", "group:library", "lineage",
 *     Kit.forAnyAgent(robots -&gt; Library.parse(robots)),
 *     (parsed, agent, url) -&gt; parsed.allows(agent, Kit.pathAndQuery(url)));
 * </pre>
 *
 * <p>The first reads a file, the second asks about one URL. Where the library wants to know the
 * agent when it reads the file, the first is just {@code (robots, agent) -> …}, and the file is
 * read anew for each agent.
 *
 * <p>Whatever either throws, an Error too, is the answer "error". Two exceptions mean more:
 * {@link Reject} is a refusal that the library documents, {@link Unsupported} a question that its
 * interface has no room for. A file on which the first throws gets that answer for every URL.
 *
 * <p>Agents and URLs are Strings in every Java library, so those that are no UTF-8 are answered
 * "unsupported" here. ns is the time inside the two functions, so decoding the file counts and
 * JSON does not. What is printed to System.out goes to stderr.
 */
final class Kit {
  /** Reads a file. */
  interface Parse<P> {
    P parse(byte[] robots, String agent) throws Throwable;

    /** Whether what is read depends on the agent. */
    default boolean needsAgent() {
      return true;
    }
  }

  /** Reads a file, whoever asks. */
  interface ParseForAny<P> {
    P parse(byte[] robots) throws Throwable;
  }

  /** Asks about one URL. */
  interface Ask<P> {
    boolean ask(P parsed, String agent, String url) throws Throwable;
  }

  /** The library's own, documented refusal, with its text. */
  static final class Reject extends Exception {
    Reject(String text) {
      super(text);
    }
  }

  /** The library's interface has no room for the question; says why. */
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
   * Cuts off what stands before the path: "http://h:80/a?b#c" gives "/a?b#c". Changes nothing
   * else: no decoding, no normalising, and a fragment stays. A path that is empty is given as
   * "/", as no client sends less ("http://h?x" gives "/?x").
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

  /** Where the first of / ? # stands at or after from; the end if none does. */
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

  /** The next line, split at LF alone; null at the end. */
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

  /** The version in the name of the jar that is loaded; not every jar says it inside. */
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
    private String hash; // what the harness calls it
    private boolean isRead;
    private String reader; // the agent that it was read for
    private P parsed; // what came of reading it,
    private JsonObject failed; // or what was thrown
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

    /** Takes the file of a request; false if there is none, and not the last one's hash either. */
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
      } catch (Throwable thrown) { // StackOverflowError and OutOfMemoryError are answers, too
        failed = thrown(thrown);
      } finally {
        ns += System.nanoTime() - start;
      }
    }

    /** True, false, or an object with what was thrown. */
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
