import type { ConnectAddress } from "@gantry/plugin";
import { expect, test } from "vitest";
import { ConnectionJudge } from "../../src/egress/connection-judge.ts";

const PUBLIC: ConnectAddress = {
  ...{ address: "93.184.216.34", family: 4, kind: "public" },
};
const PRIVATE: ConnectAddress = {
  ...{ address: "192.168.1.1", family: 4, kind: "private" },
};

function createJudge(owner: "agent" | "user", sites: readonly string[]) {
  const gantry = () => ({ ports: new Set([7420]), names: new Set<string>() });
  return new ConnectionJudge({ owner, sites: () => sites, gantry });
}

test("a name that has led to a public address does not lead to a private one later", () => {
  const judge = createJudge("user", ["*", "shop.test:80", "nas.home:80"]);
  expect(judge.judgeAddresses("nas.home", 80, [PRIVATE])).toBeNull();
  expect(judge.judgeAddresses("shop.test", 80, [PUBLIC])).toBeNull();
  expect(judge.judgeAddresses("SHOP.test.", 80, [PRIVATE])).toContain(
    "led to a public address before",
  );
  for (let count = 0; count < 5_000; count++)
    judge.judgeAddresses(`${count}.test`, 80, [PUBLIC]);
  expect(judge.judgeAddresses("shop.test", 80, [PRIVATE])).toBeNull();
});

test("what Chromium asks for by itself is refused, and a sign-in only for agents", () => {
  const user = createJudge("user", ["*"]);
  const agent = createJudge("agent", ["*"]);
  for (const judge of [user, agent])
    expect(judge.judgeHost("Update.GoogleAPIs.com.", 443)).toContain(
      "by the browser itself",
    );
  expect(user.judgeHost("accounts.google.com", 443)).toBeNull();
  expect(agent.judgeHost("accounts.google.com", 443)).not.toBeNull();
  expect(agent.judgeHost("www.google.com", 443)).toBeNull();
});
