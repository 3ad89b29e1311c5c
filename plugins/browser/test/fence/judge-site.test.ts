import { toAddressKind } from "@gantry/plugin";
import type { ConnectAddress } from "@gantry/plugin";
import { runs } from "@gantry/build/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  judgeAddresses,
  judgeDocumentUrl,
  judgeHost,
  judgeUrl,
} from "../../src/fence/judge-site.ts";
import { UserSites } from "../../src/fence/user-sites.ts";

const PORT = 7420;
const gantry = {
  ports: new Set([PORT]),
  names: new Set(["gantry.example.org"]),
};
const SOME = [
  "example.com",
  "*.example.com",
  "port.test:8443",
  "localhost:5173",
  "nas.home",
  "192.168.1.9",
  "[fd00::9]:81",
  "xn--bcher-kva.test",
];
const ALL = ["*"];

/** Spellings of this machine. */
const LOOPBACK_HOSTS = [
  "localhost",
  "LOCALHOST",
  "localhost.",
  "gantry.localhost",
  "GANTRY.localhost.",
  "127.0.0.1",
  "127.1",
  "127.255.255.254",
  "0.0.0.0",
  "0",
  "2130706433",
  "0x7f000001",
  "0x7f.1",
  "0177.0.0.1",
  "[::1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::127.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "[2002:7f00:1::]",
];

describe("a URL", () => {
  test.each([
    "file:///etc/passwd",
    "FILE:///etc/passwd",
    "\tfile:///etc/passwd",
    "chrome://version",
    "about:version",
    "devtools://devtools/bundled/inspector.html",
    "chrome-extension://x/y",
    "chrome-untrusted://terminal",
    "view-source:http://example.com/",
    "data:text/html,x",
    "javascript:fetch(1)",
    "blob:http://example.com/1",
    "filesystem:http://example.com/x",
    "ftp://example.com/",
    "ws://example.com/",
    "mailto:a@example.com",
    "http://",
    "example.com",
    "http://example.com@evil.test/",
    "http://user:secret@example.com/",
    `http://example.com/${"x".repeat(70_000)}`,
  ])("%s is refused", (url) => {
    for (const sites of [SOME, ALL])
      expect(judgeUrl(url, sites, gantry)).not.toBeNull();
  });

  test.each([
    "",
    "about:blank",
    "http://example.com/",
    "https://EXAMPLE.com:444/a?b#c",
    "https://a.b.example.com./",
    "https://port.test:8443/",
    "http://localhost:5173/",
    "http://127.0.0.1:5173/",
    "http://app.localhost:5173/",
    "http://[::1]:5173/",
    "http://nas.home/",
    "http://192.168.1.9/",
    "http://[fd00:0::9]:81/",
    "https://bücher.test/",
  ])("%s is opened", (url) => {
    expect(judgeUrl(url, SOME, gantry)).toBeNull();
  });

  test.each([
    "https://evil.test/",
    "https://notexample.com/",
    "https://example.com.evil.test/",
    "https://port.test/",
    "http://localhost:5174/",
    "http://localhost/",
    "http://192.168.1.10/",
    "http://[fd00::9]/",
    "http://10.0.0.1/",
  ])("%s is not among the sites", (url) => {
    expect(judgeUrl(url, SOME, gantry)).not.toBeNull();
  });

  test("a site below a pattern does not open the name above it", () => {
    const sites = ["*.example.com"];
    expect(judgeUrl("http://example.com/", sites, gantry)).not.toBeNull();
    expect(judgeUrl("http://a.example.com/", sites, gantry)).toBeNull();
  });

  test("all sites open neither this machine nor a private network", () => {
    for (const host of [...LOOPBACK_HOSTS, "10.1.2.3", "[fd00::1]"])
      expect(judgeUrl(`http://${host}:8080/`, ALL, gantry), host).toMatch(
        /port 8080|not public/,
      );
    expect(judgeUrl("https://anything.test/", ALL, gantry)).toBeNull();
  });
});

test.each(LOOPBACK_HOSTS)("Gantry is refused as %s", (host) => {
  for (const sites of [SOME, ALL, ["*", `localhost:${PORT}`]])
    expect(judgeUrl(`http://${host}:${PORT}/`, sites, gantry)).toContain(
      "Gantry itself",
    );
});

test("Gantry's public name is refused on every port", () => {
  for (const url of [
    "https://gantry.example.org/",
    "http://GANTRY.example.org.:81/",
  ])
    expect(judgeUrl(url, ["*", "gantry.example.org"], gantry)).toContain(
      "Gantry itself",
    );
});

test.each([
  "169.254.169.254",
  "[fd00:ec2::254]",
  "[fe80::1]",
  "[::ffff:169.254.169.254]",
  "100.100.100.200",
])("the metadata address %s is refused, also where it is listed", (host) => {
  expect(judgeUrl(`http://${host}/`, ["*", host], gantry)).toContain(
    "link-local",
  );
});

test.each([
  ["about:srcdoc", true],
  ["chrome-error://chromewebdata/", true],
  ["blob:https://example.com/1", true],
  ["blob:https://evil.test/1", false],
  ["blob:null/1", false],
  ["https://evil.test/", false],
  ["file:///etc/passwd", false],
])("the document %s may be read: %s", (url, isAllowed) => {
  expect(judgeDocumentUrl(url, SOME, gantry) === null).toBe(isAllowed);
});

describe("the addresses of a name", () => {
  const judge = (
    host: string,
    port: number,
    addresses: string[],
    sites: readonly string[] = SOME,
  ) =>
    judgeAddresses(
      host,
      port,
      addresses.map((address): ConnectAddress => {
        const kind = toAddressKind(address);
        return {
          address,
          family: address.includes(":") ? 6 : 4,
          kind: kind === "public" || kind === "loopback" ? kind : "private",
        };
      }),
      sites,
      gantry,
    );

  test("are opened when all of them are public", () => {
    expect(
      judge("example.com", 443, ["93.184.216.34", "2606:2800:220:1::1"]),
    ).toBeNull();
  });

  test.each([
    [["127.0.0.1"]],
    [["93.184.216.34", "127.0.0.1"]],
    [["::ffff:127.0.0.1"]],
    [["10.0.0.1"]],
    [[]],
  ])("%j spoil it", (addresses) => {
    for (const sites of [SOME, ALL])
      expect(judge("a.example.com", 443, addresses, sites)).not.toBeNull();
  });

  test("may be private where the site is named itself", () => {
    expect(judge("nas.home", 80, ["192.168.1.7"])).toBeNull();
    expect(
      judge("nas.home", 80, ["192.168.1.7"], ["*", "*.home"]),
    ).not.toBeNull();
  });

  test("of this machine are opened where name and port are listed", () => {
    expect(judge("localhost", 5173, ["127.0.0.1", "::1"])).toBeNull();
    expect(judge("localhost", 5174, ["127.0.0.1"])).not.toBeNull();
    expect(judge("port.test", 8443, ["127.0.0.1"])).toBeNull();
    expect(judge("nas.home", 80, ["127.0.0.1"])).not.toBeNull();
    expect(
      judge("localhost", PORT, ["127.0.0.1"], [`localhost:${PORT}`]),
    ).toContain("Gantry itself");
    expect(
      judge("port.test", PORT, ["127.0.0.1"], [`port.test:${PORT}`]),
    ).toContain("Gantry itself");
  });
});

const octet = fc.integer({ min: 0, max: 255 });
const hostText = fc.oneof(
  fc.domain(),
  fc.ipV4(),
  fc.ipV4Extended(),
  fc.ipV6().map((address) => `[${address}]`),
  fc.constantFrom(...LOOPBACK_HOSTS),
  fc.string({ maxLength: 30 }),
);

test("Gantry's port is never opened on loopback, whatever is listed", () => {
  fc.assert(
    fc.property(octet, octet, octet, fc.array(hostText), (b, c, d, listed) => {
      const number = ((127 * 256 + b) * 256 + c) * 256 + d;
      for (const host of [
        `127.${b}.${c}.${d}`,
        String(number),
        `0x${number.toString(16)}`,
        `[::ffff:127.${b}.${c}.${d}]`,
        `[64:ff9b::127.${b}.${c}.${d}]`,
      ]) {
        const sites = [...listed, "*", `localhost:${PORT}`, `${host}:${PORT}`];
        expect(
          judgeUrl(`http://${host}:${PORT}/`, sites, gantry),
        ).not.toBeNull();
      }
    }),
    { numRuns: runs(60) },
  );
});

test("no text makes it throw, and a host is judged as its URL is", () => {
  fc.assert(
    fc.property(hostText, fc.integer({ min: 1, max: 65_535 }), (host, port) => {
      const text = `http://${host}:${port}/`;
      const refusal = judgeUrl(text, SOME, gantry);
      expect(judgeHost(host, port, SOME, gantry)).toSatisfy(
        (each: unknown) => each === null || typeof each === "string",
      );
      if (!URL.canParse(text)) return void expect(refusal).not.toBeNull();
      const { hostname, port: written, username, password } = new URL(text);
      if (username || password) return void expect(refusal).not.toBeNull();
      expect(judgeHost(hostname, Number(written || 80), SOME, gantry)).toBe(
        refusal,
      );
    }),
    { numRuns: runs(200) },
  );
});

test("what is not listed is never opened", () => {
  fc.assert(
    fc.property(hostText, (host) => {
      expect(judgeUrl(`https://${host}/`, [], gantry)).not.toBeNull();
    }),
    { numRuns: runs(100) },
  );
});

describe("the user's own browser", () => {
  const judge = (sites: UserSites, url: string) =>
    judgeUrl(url, sites.list, gantry);

  test("reaches of this machine and of private networks the host and port of what was opened", () => {
    const sites = new UserSites();
    expect(judge(sites, "https://anything.test/")).toBeNull();
    for (const url of [
      "http://192.168.1.4/",
      "http://[fd00::1]:8080/jobs",
      "http://127.0.0.2:3000/",
    ]) {
      expect(judge(sites, url), url).not.toBeNull();
      sites.add(url);
      expect(judge(sites, url), url).toBeNull();
    }
    expect(judge(sites, "http://localhost:3000/")).toBeNull();
    expect(judge(sites, "http://localhost:3001/")).not.toBeNull();
    expect(judge(sites, "http://192.168.1.4:22/")).not.toBeNull();
    expect(judge(sites, "http://192.168.1.5/")).not.toBeNull();
  });

  test("never reaches Gantry, and forgets the oldest of what was opened", () => {
    const sites = new UserSites();
    sites.add(`http://localhost:${PORT}/`);
    expect(judge(sites, `http://localhost:${PORT}/`)).not.toBeNull();
    for (let port = 1; port <= 300; port++)
      sites.add(`http://10.0.0.1:${port}/`);
    expect(sites.list).toHaveLength(201);
    expect(judge(sites, "http://10.0.0.1:1/")).not.toBeNull();
    expect(judge(sites, "http://10.0.0.1:300/")).toBeNull();
  });
});
