"""repcheck adapter for robotexclusionrulesparser, asked as its ReadMe says."""
from repcheck_adapter import distribution, serve
from robotexclusionrulesparser import RobotExclusionRulesParser


def parse(robots):
    parser = RobotExclusionRulesParser()
    parser.parse(robots)  # takes octets too, and documents how it decodes them
    return parser


serve(name="python-robotexclusionrulesparser", package="robotexclusionrulesparser",
      version=distribution("robotexclusionrulesparser"), lineage="robotexclusionrulesparser",
      parse=parse, ask=RobotExclusionRulesParser.is_allowed)
