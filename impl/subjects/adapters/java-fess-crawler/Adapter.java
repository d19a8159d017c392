import java.io.ByteArrayInputStream;
import org.codelibs.fess.crawler.helper.RobotsTxtHelper;

/** The repcheck adapter for the robots.txt parser of Fess Crawler. */
final class Adapter {
  public static void main(String[] args) throws Exception {
    RobotsTxtHelper helper = new RobotsTxtHelper();
    Kit.serve(
        "java-fess-crawler",
        "org.codelibs.fess:fess-crawler",
        "fess-crawler",
        Kit.forAnyAgent(robots -> helper.parse(new ByteArrayInputStream(robots))),
        (rules, agent, url) -> rules.allows(Kit.pathAndQuery(url), agent));
  }
}
