import { ConfigError } from "@gantry/system/user-error";
import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig, resolveHome } from "../../src/config/config.ts";
import { temporaryFolder } from "@gantry/build/testing";

async function homeWith(config: unknown): Promise<string> {
  const home = await temporaryFolder();
  const text = typeof config === "string" ? config : JSON.stringify(config);
  await writeFile(join(home, "config.json"), text);
  return home;
}

test("without any setting it is the daemon of this machine alone", async () => {
  const home = await temporaryFolder();
  expect(await loadConfig({ home }, {})).toEqual({
    home,
    host: "127.0.0.1",
    port: 7420,
    portIsGiven: false,
    safe: false,
    hosts: [],
    hookHosts: [],
    trustedProxies: [],
    storage: "sqlite",
    https: false,
    insecure: false,
    open: false,
    log: "warn",
    settings: {},
  });
});

test("a flag wins over a variable, and a variable over the file", async () => {
  const home = await homeWith({ port: 1, host: "10.0.0.1", log: "error" });
  const environment = { GANTRY_PORT: "2", GANTRY_HOST: "10.0.0.2" };
  expect(await loadConfig({ home, port: "3" }, environment)).toMatchObject({
    port: 3,
    portIsGiven: true,
    host: "10.0.0.2",
    log: "error",
  });
});

test("the home comes from the flag, the variable, or is the user's own", () => {
  const environment = { GANTRY_HOME: "/tmp/two" };
  expect(resolveHome({ home: "/tmp/one" }, environment)).toBe("/tmp/one");
  expect(resolveHome({}, environment)).toBe("/tmp/two");
  expect(resolveHome({}, {})).toBe(join(homedir(), ".gantry"));
});

test.each([
  ["1", true],
  ["true", true],
  ["", false],
  ["0", false],
  ["false", false],
])("a switch in the environment that says %j is %j", async (value, is) => {
  const home = await temporaryFolder();
  const environment = { GANTRY_SAFE: value, GANTRY_INSECURE: value };
  expect(await loadConfig({ home }, environment)).toMatchObject({
    safe: is,
    insecure: is,
  });
});

test("a switch that is off by its flag is off whatever the environment says", async () => {
  const home = await temporaryFolder();
  const environment = { GANTRY_OPEN: "1" };
  expect(await loadConfig({ home, open: false }, environment)).toMatchObject({
    open: false,
  });
});

test("plugins are named with commas", async () => {
  const home = await temporaryFolder();
  const { plugins } = await loadConfig({ home, plugins: "a, b,,c" }, {});
  expect(plugins).toEqual(["a", "b", "c"]);
});

test("a log of JSON lines begins at a lower level, unless a level is set", async () => {
  const home = await temporaryFolder();
  const levelOf = async (flags: object, environment = {}) =>
    (await loadConfig({ home, ...flags }, environment)).log;
  expect(await levelOf({ json: true })).toBe("info");
  expect(await levelOf({}, { GANTRY_LOG: "debug" })).toBe("debug");
  expect(await levelOf({ json: true }, { GANTRY_LOG: "error" })).toBe("error");
});

test.each([
  [{ prot: 7420 }, /Unrecognized key: "prot"/],
  [{ port: "7420" }, /"port"/],
  [{ port: 70000 }, /"port"/],
  [{ publicUrl: "ftp://example.org" }, /"publicUrl"/],
  [{ hosts: ["https://example.org"] }, /"hosts.0": is not a host name/],
  [{ trustedProxies: ["proxy"] }, /"trustedProxies.0": is no address/],
  [{ storage: { drive: "redis" } }, /"storage"/],
  [{ log: "loud" }, /"log"/],
  ["[1]", /expected object/],
  ["{", /config.json is not JSON/],
])("%j in the file is refused by name", async (config, message) => {
  const home = await homeWith(config);
  const refused = loadConfig({ home }, {});
  await expect(refused).rejects.toThrow(message);
  await expect(refused).rejects.toBeInstanceOf(ConfigError);
  await expect(refused).rejects.toMatchObject({ exitCode: 2 });
});

test.each([
  [{ port: "x" }, {}, /"port"/],
  [{ port: "-1" }, {}, /"port"/],
  [{}, { GANTRY_PORT: "70000" }, /"port"/],
  [{}, { GANTRY_LOG: "loud" }, /"log"/],
  [{ "public-url": "example.org" }, {}, /"publicUrl"/],
])(
  "flags %j and variables %j are refused by name",
  async (flags, environment, message) => {
    const home = await temporaryFolder();
    await expect(loadConfig({ home, ...flags }, environment)).rejects.toThrow(
      message,
    );
  },
);

test("a file that cannot be read is reported", async () => {
  const file = await homeWith({});
  await expect(
    loadConfig({ home: join(file, "config.json") }, {}),
  ).rejects.toThrow(/cannot be read: ENOTDIR/);
});
