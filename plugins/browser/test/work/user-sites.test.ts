import { expect, test } from "vitest";
import { judgeAddresses, judgeHost } from "../../src/fence/judge-site.ts";
import { UserSites } from "../../src/work/user-sites.ts";

const GANTRY = { ports: new Set([7420]), names: new Set<string>() };
const PRIVATE = [{ address: "192.168.1.4", kind: "private" as const }];

test("the local network opens where the user typed its address, and nowhere else", () => {
  const sites = new UserSites();
  const judge = (host: string, port: number) =>
    judgeHost(host, port, sites.rules, GANTRY) ??
    judgeAddresses(host, port, PRIVATE, sites.rules, GANTRY);
  expect(judge("192.168.1.4", 80)).toContain("local network");
  expect(judge("printer.lan", 8080)).toContain("local network");
  sites.noteTyped("http://192.168.1.4/");
  sites.noteTyped("http://printer.lan:8080/jobs");
  expect(judge("192.168.1.4", 80)).toBeNull();
  expect(judge("printer.lan", 8080)).toBeNull();
  expect(judge("192.168.1.4", 22)).toContain("local network");
  expect(judge("192.168.1.5", 80)).not.toBeNull();
});

test("what is typed opens neither Gantry nor other schemes, and the oldest is forgotten", () => {
  const sites = new UserSites();
  sites.noteTyped("http://localhost:7420/");
  sites.noteTyped("file:///etc/passwd");
  expect(judgeHost("localhost", 7420, sites.rules, GANTRY)).not.toBeNull();
  for (let port = 1; port <= 300; port++)
    sites.noteTyped(`http://10.0.0.1:${port}/`);
  expect(sites.rules.sites).toHaveLength(201);
  expect(judgeHost("10.0.0.1", 1, sites.rules, GANTRY)).not.toBeNull();
  expect(judgeHost("10.0.0.1", 300, sites.rules, GANTRY)).toBeNull();
});
