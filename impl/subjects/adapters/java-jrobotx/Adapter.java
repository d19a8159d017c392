import com.trigonic.jrobotx.RobotExclusion;
import java.io.ByteArrayInputStream;
import java.net.MalformedURLException;
import java.net.URL;

/** The repcheck adapter for jrobotx. */
final class Adapter {
  public static void main(String[] args) throws Exception {
    Kit.serve(
        "java-jrobotx",
        "com.trigonic:jrobotx",
        "jrobotx",
        // The factory is the library's own place for another way to get the file, which
        // allows() reads anew for each question.
        Kit.forAnyAgent(
            robots -> new RobotExclusion(robotsUrl -> new ByteArrayInputStream(robots))),
        (exclusion, agent, url) -> exclusion.allows(url(url), agent));
  }

  private static URL url(String url) throws Kit.Unsupported {
    try {
      return new URL(url);
    } catch (MalformedURLException none) {
      throw new Kit.Unsupported("allows takes a java.net.URL, and there is none: " + none.getMessage());
    }
  }
}
