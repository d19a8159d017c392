import com.panforge.robotstxt.RobotsTxt;
import java.io.ByteArrayInputStream;

/** The repcheck adapter for com.panforge:robots (pandzel). */
final class Adapter {
  public static void main(String[] args) throws Exception {
    Kit.serve(
        "java-pandzel",
        "com.panforge:robots",
        "pandzel",
        Kit.forAnyAgent(robots -> RobotsTxt.read(new ByteArrayInputStream(robots))),
        (rules, agent, url) -> rules.query(agent, Kit.pathAndQuery(url)));
  }
}
