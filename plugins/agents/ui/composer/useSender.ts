import { api, createKey, toApiError, type ApiError } from "@gantry/ui-kit";
import { shallowRef, watch, type Ref } from "vue";
import type { Sending } from "../conversation/rows.ts";
import type { Entry, Task } from "../wire.ts";
import { hasArrived } from "./hasArrived.ts";
import { toBase64 } from "./pictures.ts";
import type { SendChoice } from "./sendChoices.ts";

/** A message as it was written. */
export interface Message {
  text: string;
  pictures: readonly File[];
}

/** Sends messages, and shows each until it is part of the conversation. */
export interface Sender {
  /** Messages that are neither in the conversation nor in the queue yet. */
  readonly sending: Readonly<Ref<readonly Sending[]>>;
  /** Why the last message was not taken. */
  readonly error: Ref<ApiError | undefined>;
  /** Tells whether the daemon took it. Never rejects. */
  send(message: Message, kind: SendChoice["kind"]): Promise<boolean>;
}

/** Makes the sender of an agent's messages. */
export function useSender(
  agentId: string,
  entries: Readonly<Ref<readonly Entry[]>>,
  tasks: Readonly<Ref<readonly Task[]>>,
): Sender {
  const all = shallowRef<readonly Sending[]>([]);
  const error = shallowRef<ApiError>();
  /** A message whose answer was lost is sent again under the same key, so that it cannot arrive twice. */
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
    { text, pictures }: Message,
    kind: SendChoice["kind"],
  ): Promise<boolean> {
    error.value = undefined;
    const id = createKey();
    const sending: Sending = {
      key: `sending-${id}`,
      text,
      images: pictures.length,
      taskId: undefined,
      after: entries.value.at(-1)?.id,
    };
    all.value = [...all.value, sending];
    try {
      const images = await Promise.all(
        pictures.map(async (file) => ({
          mimeType: file.type,
          data: await toBase64(file),
        })),
      );
      const body = { message: text, kind, images };
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
