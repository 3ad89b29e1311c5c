import { expect, test } from "vitest";
import { checkFlags, toFlags } from "../../src/chromium/flags.ts";

const given = toFlags({
  profileFolder: "/p",
  proxyPort: 4000,
  hasSandbox: true,
});

test("a command line with further harmless flags is accepted", () => {
  expect(
    checkFlags(
      [...given, "--show-component-extension-options", "about:blank"],
      given,
    ),
  ).toBeNull();
});

test.each([
  ["--no-sandbox"],
  ["--remote-debugging-port=9222"],
  ["--proxy-bypass-list="],
  ["--proxy-server=direct://"],
  ["--proxy-pac-url=http://a/"],
  ["--disable-web-security"],
  ["--webrtc-ip-handling-policy=default"],
])("%s added by a wrapper script is found", (flag) => {
  expect(checkFlags([...given, flag], given)).toContain(
    flag.replace(/=.*/, ""),
  );
});

test.each(
  given.filter((flag) => /proxy|webrtc|pipe|extensions|quic/.test(flag)),
)("a missing %s is found", (flag) => {
  expect(
    checkFlags(
      given.filter((other) => other !== flag),
      given,
    ),
  ).not.toBeNull();
});
