# repcheck with the parsers that are written in Go. Build and run:
#   docker build --tag repcheck .
#   docker run --rm repcheck run
#   docker run --rm --volume "$PWD:/data" repcheck scan robots/
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X github.com/repcheck/repcheck/conformance/cli.release=$VERSION" -o /repcheck .

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /repcheck /repcheck
WORKDIR /data
ENTRYPOINT ["/repcheck"]
CMD ["run"]
