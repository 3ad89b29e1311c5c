import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toAddressKind } from "../../src/fence/address-kind.ts";
import {
  judgeAddresses,
  judgeDocumentUrl,
  judgeHost,
  judgeUrl,
} from "../../src/fence/judge-site.ts";
import type { SiteRules } from "../../src/fence/judge-site.ts";

const PORT = 7420;
const gantry = {
  ports: new Set([PORT]),
  names: new Set(["gantry.example.org"]),
};
const some: SiteRules = {
  sites: [
    "example.com",
    "*.example.com",
    "port.test:8443",
    "localhost:5173",
    "nas.home",
    "192.168.1.9",
    "BÜCHER.test.",
    "*:9000",
  ],
  localPorts: new Set([3000]),
};
const all: SiteRules = { sites: ["*"], localPorts: new Set() };
const user: SiteRules = { sites: ["*"], localPorts: "all" };

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
  ])("%s is refused", (url) => {
    for (const rules of [some, all, user])
      expect(judgeUrl(url, rules, gantry)).not.toBeNull();
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
    "http://[::1]:3000/",
    "http://app.localhost:3000/",
    "http://nas.home/",
    "http://192.168.1.9/",
    "https://xn--bcher-kva.test/",
    "http://anywhere.test:9000/",
  ])("%s is opened", (url) => {
    expect(judgeUrl(url, some, gantry)).toBeNull();
  });

  test.each([
    "https://evil.test/",
    "https://notexample.com/",
    "https://example.com.evil.test/",
    "https://port.test/",
    "http://localhost:5174/",
    "http://127.0.0.1:9000/",
    "http://localhost/",
    "http://192.168.1.10/",
    "http://10.0.0.1/",
  ])("%s is not among the sites", (url) => {
    expect(judgeUrl(url, some, gantry)).not.toBeNull();
  });

  test("a site below a pattern does not open the name above it", () => {
    const rules = { sites: ["*.example.com"], localPorts: new Set<number>() };
    expect(judgeUrl("http://example.com/", rules, gantry)).not.toBeNull();
    expect(judgeUrl("http://a.example.com/", rules, gantry)).toBeNull();
  });

  test("all sites open neither this machine nor a private network", () => {
    for (const host of [...LOOPBACK_HOSTS, "10.1.2.3", "[fd00::1]"])
      expect(judgeUrl(`http://${host}:8080/`, all, gantry), host).toMatch(
        /port 8080|local network/,
      );
    expect(judgeUrl("https://anything.test/", all, gantry)).toBeNull();
  });
});

test("a URL that is too long is refused", () => {
  const url = `http://example.com/${"x".repeat(70_000)}`;
  expect(judgeUrl(url, user, gantry)).toContain("too long");
});

test.each(LOOPBACK_HOSTS)("Gantry is refused as %s", (host) => {
  const listed = {
    sites: ["*", `localhost:${PORT}`],
    localPorts: "all",
  } as const;
  for (const rules of [some, all, user, listed])
    expect(judgeUrl(`http://${host}:${PORT}/`, rules, gantry)).toContain(
      "Gantry itself",
    );
});

test("Gantry's public name is refused on every port", () => {
  for (const url of [
    "https://gantry.example.org/",
    "http://GANTRY.example.org.:81/",
  ])
    expect(judgeUrl(url, user, gantry)).toContain("Gantry itself");
});

test.each([
  "169.254.169.254",
  "[fd00:ec2::254]",
  "[fe80::1]",
  "[::ffff:169.254.169.254]",
  "metadata.google.internal",
  "METADATA.",
  "100.100.100.200",
  "224.0.0.1",
])("%s is refused, also by its own name", (host) => {
  const rules = { sites: ["*", host], localPorts: "all" } as const;
  expect(judgeUrl(`http://${host}/`, rules, gantry)).not.toBeNull();
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
  expect(judgeDocumentUrl(url, some, gantry) === null).toBe(isAllowed);
});

describe("the addresses of a name", () => {
  const judge = (
    host: string,
    port: number,
    addresses: string[],
    rules = some,
  ) =>
    judgeAddresses(
      host,
      port,
      addresses.map((address) => ({ address, kind: toAddressKind(address) })),
      rules,
      gantry,
    );

  test("are opened when all of them are public", () => {
    expect(
      judge("example.com", 443, ["203.0.113.1", "2001:db8::1"]),
    ).toBeNull();
  });

  test.each([
    [["127.0.0.1"]],
    [["203.0.113.1", "127.0.0.1"]],
    [["::ffff:127.0.0.1"]],
    [["169.254.169.254"]],
    [["10.0.0.1"]],
    [["not an address"]],
    [[]],
  ])("%j spoil it", (addresses) => {
    expect(judge("a.example.com", 443, addresses)).not.toBeNull();
    expect(judge("a.example.com", 5173, addresses, user)).not.toBeNull();
  });

  test("may be private where the site is named itself", () => {
    expect(judge("nas.home", 80, ["192.168.1.7"])).toBeNull();
    const rules = { ...some, sites: ["*", "*.home"] };
    expect(judge("nas.home", 80, ["192.168.1.7"], rules)).not.toBeNull();
  });

  test("of this machine are opened under its own names, by port", () => {
    expect(judge("localhost", 5173, ["127.0.0.1", "::1"])).toBeNull();
    expect(judge("localhost", 5174, ["127.0.0.1"])).not.toBeNull();
    expect(judge("localhost", PORT, ["127.0.0.1"], user)).toContain("Gantry");
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

test("Gantry's port is never opened on loopback, whatever the rules", () => {
  fc.assert(
    fc.property(
      octet,
      octet,
      octet,
      fc.array(hostText),
      fc.boolean(),
      (b, c, d, sites, isAll) => {
        const rules: SiteRules = {
          sites: [...sites, "*", `localhost:${PORT}`],
          localPorts: isAll ? "all" : new Set([PORT]),
        };
        const number = ((127 * 256 + b) * 256 + c) * 256 + d;
        for (const host of [
          `127.${b}.${c}.${d}`,
          String(number),
          `0x${number.toString(16)}`,
          `[::ffff:127.${b}.${c}.${d}]`,
          `[64:ff9b::127.${b}.${c}.${d}]`,
        ])
          expect(
            judgeUrl(`http://${host}:${PORT}/`, rules, gantry),
          ).not.toBeNull();
      },
    ),
    { numRuns: 60 },
  );
});

test("no text makes it throw, and a host is judged as its URL is", () => {
  fc.assert(
    fc.property(hostText, fc.integer({ min: 1, max: 65_535 }), (host, port) => {
      const text = `http://${host}:${port}/`;
      const refusal = judgeUrl(text, some, gantry);
      expect(judgeHost(host, port, some, gantry)).toSatisfy(
        (each: unknown) => each === null || typeof each === "string",
      );
      if (!URL.canParse(text)) return void expect(refusal).not.toBeNull();
      const { hostname, port: written, username, password } = new URL(text);
      if (username || password) return void expect(refusal).not.toBeNull();
      expect(judgeHost(hostname, Number(written || 80), some, gantry)).toBe(
        refusal,
      );
    }),
    { numRuns: 200 },
  );
});

test("what is not listed is never opened", () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true }), (url) => {
      const none: SiteRules = { sites: [], localPorts: new Set() };
      expect(judgeUrl(url, none, gantry)).not.toBeNull();
    }),
    { numRuns: 20 },
  );
});
