import type { Resource } from "@gantry/ui-kit";
import { watch } from "vue";

/** Waits until a resource that is being read was read, or could not be. */
export async function untilRead({
  pending,
}: Pick<Resource<unknown>, "pending">): Promise<void> {
  if (!pending.value) return;
  await new Promise<void>((resolve) => {
    const stop = watch(
      pending,
      (isPending) => {
        if (isPending) return;
        stop();
        resolve();
      },
      { flush: "sync" },
    );
  });
}
