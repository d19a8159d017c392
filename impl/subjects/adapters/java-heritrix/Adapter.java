import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.archive.modules.net.Robotstxt;

/** The repcheck adapter for the robots.txt parser of Heritrix. */
final class Adapter {
  public static void main(String[] args) throws Exception {
    Kit.serve(
        "java-heritrix",
        "org.archive.heritrix:heritrix-modules",
        "heritrix",
        // CrawlServer reads with the default charset of the JVM, which is UTF-8 since Java 18.
        Kit.forAnyAgent(
            robots ->
                new Robotstxt(
                    new InputStreamReader(
                        new ByteArrayInputStream(robots), StandardCharsets.UTF_8))),
        // What ObeyRobotsPolicy asks.
        (rules, agent, url) ->
            rules.getDirectivesFor(agent).allows(Kit.pathAndQuery(url)));
  }
}
