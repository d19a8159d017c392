import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import org.archive.wayback.accesscontrol.robotstxt.RobotRules;

/** Calls the RobotRules of OpenWayback anew for each line of stdin: robots.txt, agent and URL in base64. */
final class Direct {
  public static void main(String[] args) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "US-ASCII"));
    StringBuilder words = new StringBuilder();
    for (String line; (line = lines.readLine()) != null; ) {
      String[] fields = line.split("\t", -1);
      byte[] robots = Base64.getDecoder().decode(fields[0]);
      String agent = text(fields[1]);
      String url = text(fields[2]);
      words.append(agent == null || url == null ? "unsupported" : verdict(robots, agent, url));
      words.append('\n');
    }
    System.out.print(words);
    System.out.flush();
  }

  private static String verdict(byte[] robots, String agent, String url) {
    // The path is what stands behind scheme and host; no path is the root.
    String path = url.replaceFirst("(?s)^(?:(?:[^/?#]*:)?//)?[^/?#]*", "");
    if (!path.startsWith("/")) {
      path = "/" + path;
    }
    try {
      RobotRules rules = new RobotRules();
      rules.parse(new ByteArrayInputStream(robots));
      return rules.blocksPathForUA(path, agent) ? "disallow" : "allow";
    } catch (Throwable thrown) {
      return "error";
    }
  }

  /** Returns null if it is not UTF-8. */
  private static String text(String base64) {
    byte[] octets = Base64.getDecoder().decode(base64);
    String text = new String(octets, StandardCharsets.UTF_8);
    return Arrays.equals(text.getBytes(StandardCharsets.UTF_8), octets) ? text : null;
  }
}
