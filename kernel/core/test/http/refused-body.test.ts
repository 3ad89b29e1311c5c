import { expect, test } from "vitest";
import { HOOK_SECRET, startGated } from "../support/gated-kernel.ts";
import { openRaw, renderRequest } from "../support/raw-http.ts";

test("a body that is refused is not read, however long it is announced", async () => {
  await using kernel = await startGated();
  const refused = [
    { method: "POST", target: "/api/probe", status: 401 },
    { method: "POST", target: "/api/unknown", status: 401 },
    { method: "POST", target: "/api/probe/hook", status: 401, secret: "wrong" },
    {
      method: "POST",
      target: "/api/probe/hook",
      status: 413,
      secret: HOOK_SECRET,
    },
    { method: "GET", target: "/", status: 400 },
  ];
  for (const { method, target, status, secret } of refused) {
    const connection = await openRaw(kernel.port);
    const headers = [
      ["host", kernel.host],
      ["content-length", "10000000000"],
      ["authorization", `Bearer ${secret}`],
    ] as const;
    connection.write(renderRequest({ method, target, headers }));
    const block = Buffer.alloc(64 * 1024);
    const pump = () =>
      void (
        connection.socket.writable &&
        connection.socket.write(block, () => setImmediate(pump))
      );
    pump();
    const answer = await connection.answer();
    expect(answer.status, target).toBe(status);
    expect(answer.header("connection"), target).toBe("close");
    await connection.closed;
    // What the buffers of both sides take; the daemon itself has read next to nothing.
    expect(connection.socket.bytesWritten, target).toBeLessThan(
      16 * 1024 * 1024,
    );
  }
  expect(kernel.handled()).toBe(0);
});

test("a short body that is refused unread leaves the connection as it is", async () => {
  await using kernel = await startGated();
  const connection = await openRaw(kernel.port);
  const host = ["host", kernel.host] as const;
  // The answer is there before the body is.
  connection.write(
    renderRequest({
      method: "POST",
      target: "/api/probe",
      headers: [host, ["content-length", "2"]],
    }),
  );
  const refused = await connection.answer();
  expect(refused.status).toBe(401);
  expect(refused.header("connection")).not.toBe("close");
  connection.write(`{}${renderRequest({ target: "/pair", headers: [host] })}`);
  expect((await connection.answer()).status).not.toBe(400);
  expect(kernel.handled()).toBe(0);
});
