import type { TabSession } from "./tab-session.ts";

/** Name of the isolated world: it shares the elements with the page's scripts, but no variables. */
const WORLD_NAME = "gantry";

/** Opens the isolated world of a frame. Returns the id of its execution context. */
export async function openWorld(
  session: TabSession,
  frameId: string,
): Promise<number> {
  const { executionContextId } = await session.call<{
    executionContextId: number;
  }>("Page.createIsolatedWorld", { frameId, worldName: WORLD_NAME });
  return executionContextId;
}

/**
 * Calls a function in an isolated world of the page's main frame, invisible to the page's scripts.
 *
 * @param source A function expression; its arguments are JSON values.
 */
export async function callInWorld<Result>(
  session: TabSession,
  source: string,
  ...values: readonly unknown[]
): Promise<Result | undefined> {
  const executionContextId = await openWorld(session, session.targetId);
  const { result } = await session.call<{ result: { value?: Result } }>(
    "Runtime.callFunctionOn",
    {
      functionDeclaration: source,
      executionContextId,
      arguments: values.map((value) => ({ value })),
      returnByValue: true,
    },
  );
  return result.value;
}
