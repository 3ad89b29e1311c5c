import fc from "fast-check";
import { expect, test } from "vitest";
import {
  fillWithheld,
  withholdSecrets,
} from "../../src/archive/config-secrets.ts";

const withhold = (config: unknown) => withholdSecrets(JSON.stringify(config));

test("settings that are secrets by name or by what they are go", () => {
  const made = withhold({
    port: 7420,
    https: { cert: "/etc/cert.pem", key: "/etc/key.pem" },
    storage: {
      driver: "postgresql",
      options: {
        url: "postgres://me:word@host/db",
        password: "word",
        ssl: true,
      },
    },
    settings: {
      a: {
        apiKey: "abc",
        "api-key": "abc",
        API_KEY: "abc",
        tokens: ["a", "b"],
      },
      b: { list: ["plain", "https://me:word@host/", { secret: 1 }] },
      c: {
        hook: "https://host/?token=abc",
        tokenizer: "plain",
        passive: "yes",
      },
      d: { passphraseFile: "/run/secret", hasPassword: true, secret: null },
    },
  });
  expect(JSON.parse(made?.text ?? "")).toEqual({
    port: 7420,
    https: { cert: "/etc/cert.pem", key: "/etc/key.pem" },
    storage: { driver: "postgresql", options: { ssl: true } },
    settings: {
      a: {},
      b: { list: ["plain", null, {}] },
      c: { tokenizer: "plain", passive: "yes" },
      d: { passphraseFile: "/run/secret", hasPassword: true, secret: null },
    },
  });
  expect(made?.withheld).toEqual([
    "/storage/options/url",
    "/storage/options/password",
    "/settings/a/apiKey",
    "/settings/a/api-key",
    "/settings/a/API_KEY",
    "/settings/a/tokens",
    "/settings/b/list/1",
    "/settings/b/list/2/secret",
    "/settings/c/hook",
  ]);
});

test("what is no object is not copied at all", () => {
  for (const text of ["", "no JSON", "[", "null", "7", '"text"'])
    expect(withholdSecrets(text)).toBeUndefined();
});

test("what was taken out is put back, and nothing else", () => {
  const name = fc.constantFrom(
    "a",
    "b/c",
    "d~e",
    "secret",
    "api_key",
    "__proto__",
  );
  const config = fc.object({
    key: name,
    maxDepth: 3,
    values: [fc.string(), fc.nat(), fc.constant("redis://a:b@c")],
  });
  fc.assert(
    fc.property(config, (made) => {
      const text = JSON.stringify(made);
      const open = withholdSecrets(text);
      if (!open) throw new Error("It is JSON.");
      const back = fillWithheld(open.text, open.withheld, text);
      expect(JSON.parse(back)).toEqual(JSON.parse(text));
      const none = fillWithheld(open.text, open.withheld, "{}");
      expect(JSON.parse(none)).toEqual(JSON.parse(open.text));
    }),
  );
  expect(fillWithheld("{}", ["/a/b"], '{"a":{"b":1}}')).toBe("{}\n");
  expect(fillWithheld("{}", ["/a"], "no JSON")).toBe("{}");
});
