#!/usr/bin/env node
// Stands in for a Chromium that breaks. The file name of the program that starts it ends with how, and with the method that
// makes it break: `<fault>@<method>`.
import { Socket } from "node:net";

const [fault, breaking] = process.argv[2].split("@");
const input = new Socket({ fd: 3 });
const output = new Socket({ fd: 4 });
const send = (message) => output.write(`${JSON.stringify(message)}\0`);

const faults = {
  "closes-pipe": () => output.destroy(),
  "sends-garbage": () => output.write("{]\0"),
  "sends-half": (id) =>
    output.write(JSON.stringify({ id }).slice(0, 4), () => output.destroy()),
  "sends-no-object": (id) =>
    output.write(`null\0${JSON.stringify({ id, result: 5 })}\0`),
  "sends-200-mb": () => {
    const chunk = Buffer.alloc(1024 * 1024, "x");
    let left = 200;
    const more = () => {
      while (left-- > 0) if (!output.write(chunk)) return;
    };
    output.on("drain", more);
    more();
  },
  "answers-others": (id) => {
    for (const other of [0, -1, id + 1_000, "x", null, {}])
      send({ id: other, result: {} });
    send({ id, error: { message: "No such thing" } });
  },
  "stays-silent": () => {},
};

const answers = {
  "Browser.getVersion": { product: "Chrome/1.2.3.4" },
  "Browser.getBrowserCommandLine": { arguments: process.argv },
  "Target.getTargets": { targetInfos: [] },
};

let text = "";
input.setEncoding("utf8").on("data", (chunk) => {
  const messages = (text + chunk).split("\0");
  text = messages.pop();
  for (const message of messages) {
    const { id, method } = JSON.parse(message);
    if (method === breaking) faults[fault](id);
    else send({ id, result: answers[method] ?? {} });
  }
});
// It does not notice that its pipes were closed, so that it has to be ended.
setInterval(() => {}, 60_000);
output.on("error", () => {});
