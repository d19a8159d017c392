module github.com/repcheck/repcheck

go 1.26.0
