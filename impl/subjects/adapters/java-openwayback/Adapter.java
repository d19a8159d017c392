import java.io.ByteArrayInputStream;
import org.archive.wayback.accesscontrol.robotstxt.RobotRules;

/** The repcheck adapter for the robots.txt parser of OpenWayback. */
final class Adapter {
  public static void main(String[] args) throws Exception {
    Kit.serve(
        "java-openwayback",
        "org.netpreserve.openwayback:openwayback-core",
        "openwayback",
        Kit.forAnyAgent(
            robots -> {
              RobotRules rules = new RobotRules();
              rules.parse(new ByteArrayInputStream(robots));
              return rules;
            }),
        (rules, agent, url) -> !rules.blocksPathForUA(Kit.pathAndQuery(url), agent));
  }
}
