import { randomBytes } from "node:crypto";
import fc from "fast-check";
import {
  costGrowth,
  costRatio,
  MAX_LINEAR_GROWTH,
} from "@gantry/build/testing";
import { describe, expect, test } from "vitest";
import { createSecret } from "@gantry/system/secret";
import { createRedactor } from "@gantry/system/log/redact";
import { anyText } from "../support/texts.ts";

const random = (length: number) =>
  randomBytes(length).toString("hex").slice(0, length);

/** Texts as they occur, each with a secret in it. */
const secrets: Record<string, (secret: string) => string> = {
  "a Bearer header": (secret) => `Authorization: Bearer ${secret}`,
  "a Basic header": (secret) => `got authorization=Basic ${secret}`,
  "headers as an object": (secret) => `{"authorization":"Bearer ${secret}"}`,
  "a cookie": (secret) => `cookie: a=1; gantry_session=${secret}; b=2\nnext`,
  "a cookie that is set": (secret) => `Set-Cookie: other=${secret}; Path=/`,
  "user info in an address": (secret) =>
    `to https://ada:${secret}@example.org/x`,
  "a token as user": (secret) => `git fetch https://${secret}@github.com/a/b`,
  "a database's address": (secret) => `postgres://gantry:${secret}@db:5432/x`,
  "a query": (secret) => `GET /fire?x=1&access_token=${secret}&y=2`,
  "a fragment": (secret) => `http://gantry.localhost:7420/pair#code=${secret}`,
  "an address of Slack": (secret) =>
    `https://hooks.slack.com/services/T0/B0/${secret}`,
  "an address of Discord": (secret) =>
    `https://discord.com/api/webhooks/1/${secret}`,
  "a variable": (secret) => `env GITHUB_TOKEN=${secret} git push`,
  "a key of Anthropic": (secret) => `sk-ant-api03-${secret}`,
  "a key of OpenAI": (secret) => `bad key sk-proj-${secret}.`,
  "a token of GitHub": (secret) => `ghp_${secret}`,
  "a fine-grained token of GitHub": (secret) => `github_pat_${secret}`,
  "a token of GitLab": (secret) => `glpat-${secret}`,
  "a token of Slack": (secret) => `xoxb-${secret}`,
  "a key of Google": (secret) => `AIza${secret}`,
  "a token of Hugging Face": (secret) => `hf_${secret}`,
  "a token of npm": (secret) =>
    `//registry.npmjs.org/:_authToken=npm_${secret}`,
  "a JSON web token": (secret) =>
    `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${secret}`,
  "a JSON web token after what begins like one": (secret) =>
    `eyJ-eyJhbGci-eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${secret}`,
  "a private key": (secret) =>
    `-----BEGIN EC PRIVATE KEY-----\n${secret}\n-----END EC PRIVATE KEY-----`,
};

test.each(Object.entries(secrets))("%s loses its secret", (_, render) => {
  const secret = random(36);
  const text = createRedactor()(`before ${render(secret)} after`);
  expect(text).not.toContain(secret);
  expect(text).toContain("[redacted]");
  expect(text).toContain("before");
});

test("a token of ours is taken out wherever it stands", () => {
  const redact = createRedactor();
  for (let round = 0; round < 200; round++) {
    const secret = createSecret();
    for (const text of [
      secret,
      `"${secret}"`,
      `x=${secret},y`,
      `(${secret})`,
      `/a/${secret}/b`,
    ])
      expect(redact(text)).not.toContain(secret);
  }
});

test.each([
  "Plugin active",
  'The plugin "agents" is failed: it needs "inbox"',
  "Request failed at /api/agents/agt_k3v5yfjx2abcdefghijklmno",
  "https://example.org/path?page=2#part",
  "token: expected string",
  "Cannot find module '/work/main/kernel/src/kernel.ts'",
  "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
  "a".repeat(42),
  "b".repeat(44),
])("%j stays as it is", (text) => {
  expect(createRedactor()(text)).toBe(text);
});

test("values of variables and settings whose names say so are taken out", () => {
  const redact = createRedactor({
    environment: {
      ANTHROPIC_API_KEY: "just words here",
      PATH: "/usr/bin:/usr/local/bin",
      SSH_AUTH_SOCK: "/tmp/agent.1234",
      TOKEN: "short",
    },
    settings: {
      storage: { options: { password: "correct horse" } },
      settings: { agents: { token: ["one-of-these", "two-of-those"] } },
    },
  });
  expect(
    redact(
      "key just words here, password correct horse, one-of-these two-of-those",
    ),
  ).toBe("key [redacted], password [redacted], [redacted] [redacted]");
  expect(
    redact("PATH /usr/bin:/usr/local/bin, /tmp/agent.1234, a short walk"),
  ).toBe("PATH /usr/bin:/usr/local/bin, /tmp/agent.1234, a short walk");
});

test("what only a test knows is taken out while it is watched", () => {
  const redact = createRedactor();
  const open = new Set([
    "K7QM-2XTA-9WPD",
    "k7qm2xta9wpd",
    "AAAAAAAAAAAAAAAAAAAAAA",
  ]);
  const stop = redact.watch((candidate) => open.has(candidate));
  for (const code of open)
    expect(redact(`The code ${code}, or ABCD-EFGH-IJKL.`)).toBe(
      "The code [redacted], or ABCD-EFGH-IJKL.",
    );
  stop();
  expect(redact("K7QM-2XTA-9WPD")).toBe("K7QM-2XTA-9WPD");
});

test("names of fields that hold secrets are known", () => {
  const { isSecretName } = createRedactor();
  for (const name of [
    "authorization",
    "cookie",
    "token",
    "accessToken",
    "API_KEY",
    "apiKey",
    "clientSecret",
    "password",
    "passphrase",
  ])
    expect(isSecretName(name), name).toBe(true);
  for (const name of [
    "path",
    "plugin",
    "tokens_used_up",
    "key",
    "monkey",
    "author",
    "count",
    "passed",
  ])
    expect(isSecretName(name), name).toBe(false);
});

describe("hostile texts", () => {
  /** Of a longer text no more is looked at. */
  const MAX_TEXT_LENGTH = 16 * 1024;

  function createWatchingRedactor() {
    const redact = createRedactor({ environment: { A_TOKEN: "aaaaaaaaaa" } });
    redact.watch(() => false);
    return redact;
  }

  test.each(
    [
      "a",
      "a.",
      "a-",
      "eyJ-",
      "eyJa.",
      "://",
      "https://a:",
      "cookie",
      "cookie:",
      "A_",
      "KEY=",
      "-----BEGIN ",
      "Bearer ",
      "?key=",
      "abcd ",
      "sk-",
      "\ud800",
    ].map((piece) => [piece]),
  )("of %j take linear time", async (piece) => {
    const redact = createWatchingRedactor();
    // The longest is just below what is looked at: of a longer text, the time would be the same whatever the patterns do.
    const growth = await costGrowth(
      (size) => piece.repeat(size / piece.length),
      redact,
      MAX_TEXT_LENGTH / 16,
    );
    expect(growth).toBeLessThan(MAX_LINEAR_GROWTH);
  });

  test("cost no more than what is looked at of them", async () => {
    const redact = createWatchingRedactor();
    const [text, longText] = [1, 64].map((times) =>
      "abcd ".repeat((times * MAX_TEXT_LENGTH) / 5),
    ) as [string, string];
    const ratio = await costRatio(
      () => redact(longText),
      () => redact(text),
    );
    expect(ratio).toBeLessThan(3);
  });

  test("of any kind neither throw nor keep a token of ours", () => {
    const redact = createRedactor();
    fc.assert(
      fc.property(
        anyText(300),
        fc.string({ maxLength: 300 }),
        (before, after) => {
          const secret = createSecret();
          expect(redact(`${before} ${secret} ${after}`)).not.toContain(secret);
        },
      ),
    );
  });

  test("do not bring half a secret through the place where they are cut", () => {
    const redact = createRedactor();
    const secret = createSecret();
    for (let shift = 0; shift < 50; shift++) {
      const text = redact("x ".repeat(8192 - 25) + " ".repeat(shift) + secret);
      for (let at = 0; at + 8 <= secret.length; at++)
        expect(text).not.toContain(secret.slice(at, at + 8));
    }
  });
});
