#!/usr/bin/env node
// Stands in for Chromium where a test needs many of them: it answers the calls of a start, and those for tabs.
import { randomBytes } from "node:crypto";
import { Socket } from "node:net";

const input = new Socket({ fd: 3 });
const output = new Socket({ fd: 4 });
const send = (message) => output.write(`${JSON.stringify(message)}\0`);

const targetInfos = [];
let crashes = 0;

const answers = {
  "Browser.getVersion": () => ({ product: "Chrome/1.2.3.4" }),
  "Browser.getBrowserCommandLine": () => ({ arguments: process.argv }),
  "Browser.close": () => process.exit(0),
  "Target.createTarget": ({ url }) => {
    // A call that is never answered keeps its browser in use.
    if (url.includes("never")) return undefined;
    const targetId = randomBytes(16).toString("hex").toUpperCase();
    const targetInfo = { targetId, type: "page", url, title: `Page of ${url}` };
    targetInfos.push(targetInfo);
    send({ method: "Target.targetCreated", params: { targetInfo } });
    if (url.includes("crash") && crashes++ === 0)
      send({
        method: "Target.targetCrashed",
        params: { targetId, status: "crashed", errorCode: 139 },
      });
    return { targetId };
  },
  "Target.closeTarget": ({ targetId }) => {
    const at = targetInfos.findIndex((info) => info.targetId === targetId);
    targetInfos.splice(at, at === -1 ? 0 : 1);
    send({ method: "Target.targetDestroyed", params: { targetId } });
    return { success: true };
  },
  "Target.getTargets": () => ({ targetInfos }),
};

let text = "";
input.setEncoding("utf8").on("data", (chunk) => {
  const messages = (text + chunk).split("\0");
  text = messages.pop();
  for (const message of messages) {
    const { id, method, params } = JSON.parse(message);
    const result = (answers[method] ?? (() => ({})))(params);
    if (result) send({ id, result });
  }
});
input.on("close", () => process.exit(0));
