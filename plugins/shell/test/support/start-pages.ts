// By its path: the test kernel brings this plugin, so that a dependency on its package would be a circle.
import { startTestKernel } from "../../../../kernel/testing/src/index.ts";
import type {
  TestKernel,
  TestKernelOptions,
} from "../../../../kernel/testing/src/index.ts";
import { createShell } from "@gantry/test-support/built-shell";
import { sendRaw } from "@gantry/test-support/raw-http";
import type { RawAnswer, RawRequest } from "@gantry/test-support/raw-http";

/** A test kernel with the pages of a small shell, and raw requests for them. */
export interface PagesKernel extends TestKernel {
  readonly port: number;
  /** `http://gantry.localhost` with the port. */
  readonly origin: string;
  /** The cookie of a paired browser. */
  readonly cookie: string;
  /** Sends a request under the daemon's own name. */
  send(request: RawRequest): Promise<RawAnswer>;
  /** As {@link send}, with the cookie of a paired browser. */
  sendPaired(request: RawRequest): Promise<RawAnswer>;
}

/** Starts it. Use it with `await using`. */
export async function startPages(
  options: TestKernelOptions = {},
): Promise<PagesKernel> {
  const shell = await createShell();
  const kernel = await startTestKernel([], { shell, ...options });
  const { port } = kernel.kernel;
  const { cookie } = await kernel.pairAs("Raw");
  const host = `gantry.localhost:${port}`;
  const send = (
    { headers = [], ...rest }: RawRequest,
    ...more: [string, string][]
  ) =>
    sendRaw(port, { ...rest, headers: [["host", host], ...more, ...headers] });
  const own = {
    port,
    origin: `http://${host}`,
    cookie,
    send: (request: RawRequest) => send(request),
    sendPaired: (request: RawRequest) => send(request, ["cookie", cookie]),
  };
  return Object.defineProperties(
    kernel,
    Object.getOwnPropertyDescriptors(own),
  ) as PagesKernel;
}
