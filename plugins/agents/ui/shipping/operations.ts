import { toApiError, type ApiError } from "@gantry/ui-kit";
import { shallowRef, type Ref, type ShallowRef } from "vue";
import type { ShippingAction } from "./nextSteps.ts";

/** An operation that was refused. */
export interface ShippingFailure {
  action: ShippingAction;
  error: ApiError;
  /** What hooks printed. */
  output: string;
  /** Does the same again. */
  again: () => Promise<void>;
  /** Does it although it writes over what changed meanwhile. */
  overwrite: (() => Promise<void>) | undefined;
}

/** Operations on a repository. One runs at a time. */
export interface Operations {
  readonly running: Readonly<Ref<ShippingAction | undefined>>;
  /** What was refused last. */
  readonly failure: Readonly<ShallowRef<ShippingFailure | undefined>>;
  /** What git was run with last, as it would be typed. */
  readonly command: ShallowRef<string | undefined>;
  /** Runs one. Gives `undefined` if it was refused, or another one runs. Never rejects. */
  run<Result>(
    action: ShippingAction,
    again: () => Promise<void>,
    work: () => Promise<Result>,
  ): Promise<Result | undefined>;
  /** Shows what was refused elsewhere. */
  fail(
    action: ShippingAction,
    thrown: unknown,
    again: () => Promise<void>,
    overwrite?: () => Promise<void>,
  ): void;
  forgetFailure(): void;
}

/**
 * @param read Reads what an operation has changed, refused or not: a hook may have changed files all the same. The operation
 *   runs until then, so that no button says what is outdated.
 */
export function createOperations(read: () => Promise<void>): Operations {
  const running = shallowRef<ShippingAction>();
  const failure = shallowRef<ShippingFailure>();
  const command = shallowRef<string>();

  function fail(
    action: ShippingAction,
    thrown: unknown,
    again: () => Promise<void>,
    overwrite?: () => Promise<void>,
  ): void {
    const error = toApiError(thrown);
    const output = outputOf(error);
    failure.value = { action, error, output, again, overwrite };
  }

  return {
    running,
    failure,
    command,
    fail,
    forgetFailure: () => (failure.value = undefined),
    async run(action, again, work) {
      if (running.value) return undefined;
      running.value = action;
      failure.value = undefined;
      try {
        const result = await work();
        command.value = commandOf(result) ?? command.value;
        return result;
      } catch (thrown) {
        fail(action, thrown, again);
        return undefined;
      } finally {
        await read();
        running.value = undefined;
      }
    },
  };
}

function commandOf(result: unknown): string | undefined {
  const { command } = Object(result) as { command?: unknown };
  return typeof command === "string" ? command : undefined;
}

/** What hooks printed, which the answer has beside the error. */
function outputOf({ cause }: ApiError): string {
  const { data } = Object(cause) as { data?: unknown };
  const { output } = Object(data) as { output?: unknown };
  return typeof output === "string" ? output.trim() : "";
}
