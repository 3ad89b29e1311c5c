import { once } from "node:events";
import { defineRoute } from "@gantry/plugin";
import { okAnswer } from "@gantry/plugin/zod";
import { expect, test } from "vitest";
import { startProbe } from "../support/probe.ts";

test("a client that leaves ends the operation that looks at the signal, which is no fault", async () => {
  const waiting = Promise.withResolvers<AbortSignal>();
  await using kernel = await startProbe({
    setup: (ctx) =>
      void ctx.route(
        defineRoute({
          method: "GET",
          path: "/api/probe",
          summary: "Waits until its client leaves",
          access: "session",
          returns: okAnswer,
          async handle({ signal }) {
            waiting.resolve(signal);
            return await new Promise((_, reject) => {
              signal.addEventListener("abort", () => reject(signal.reason));
            });
          },
        }),
      ),
  });
  const leaving = new AbortController();
  const asked = kernel.api.open("/api/probe", { signal: leaving.signal });
  const signal = await waiting.promise;
  leaving.abort();
  await expect(asked).rejects.toThrow();
  if (!signal.aborted) await once(signal, "abort");
  await kernel.stop();
});
