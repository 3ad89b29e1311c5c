import { api, createKey, toApiError, type ApiError } from "@gantry/ui-kit";
import { shallowRef, watch, type Ref } from "vue";
import type { Sending } from "../conversation/rows.ts";
import type { Entry, Task } from "../wire.ts";
import { hasArrived } from "./hasArrived.ts";
import { toBase64 } from "./images.ts";
import type { SendChoice } from "./sendChoices.ts";

/** A message to send. */
export interface Message {
  text: string;
  images: readonly File[];
}

/** Sends messages, and keeps each until it is in the conversation or the queue. */
export interface Sender {
  /** Messages in flight: neither in the conversation nor in the queue yet. */
  readonly sending: Readonly<Ref<readonly Sending[]>>;
  /** Why the last message was rejected. */
  readonly error: Ref<ApiError | undefined>;
  /** Returns whether the daemon accepted the message. Never rejects. */
  send(message: Message, kind: SendChoice["kind"]): Promise<boolean>;
}

/** Creates the sender of messages to an agent. */
export function useSender(
  agentId: string,
  entries: Readonly<Ref<readonly Entry[]>>,
  tasks: Readonly<Ref<readonly Task[]>>,
): Sender {
  const all = shallowRef<readonly Sending[]>([]);
  const error = shallowRef<ApiError>();
  /** The last message without a response. Sent again, it gets the same idempotency key, so that it cannot arrive twice. */
  let lost: { message: string; key: string } | undefined;

  const drop = (key: string) =>
    (all.value = all.value.filter((sending) => sending.key !== key));
  watch([all, entries, tasks], () => {
    const left = all.value.filter(
      (sending) => !hasArrived(sending, entries.value, tasks.value),
    );
    if (left.length < all.value.length) all.value = left;
  });

  async function send(
    { text, images }: Message,
    kind: SendChoice["kind"],
  ): Promise<boolean> {
    error.value = undefined;
    const id = createKey();
    const sending: Sending = {
      key: `sending-${id}`,
      text,
      images: images.length,
      taskId: undefined,
      after: entries.value.at(-1)?.id,
    };
    all.value = [...all.value, sending];
    try {
      const encoded = await Promise.all(
        images.map(async (file) => ({
          mimeType: file.type,
          data: await toBase64(file),
        })),
      );
      const body = { message: text, kind, images: encoded };
      const message = JSON.stringify(body);
      const key = lost?.message === message ? lost.key : id;
      lost = { message, key };
      const { taskId } = await api.post<{ taskId: string }>(
        `/api/agents/${agentId}/prompt`,
        { body, idempotencyKey: key },
      );
      lost = undefined;
      all.value = all.value.map((one) =>
        one.key === sending.key ? { ...one, taskId } : one,
      );
      return true;
    } catch (thrown) {
      drop(sending.key);
      error.value = toApiError(thrown);
      if (error.value.code !== "UNREACHABLE") lost = undefined;
      return false;
    }
  }

  return { error, send, sending: all };
}
