import { describeError, isGantryError } from "@gantry/plugin";
import type { Log } from "@gantry/plugin";
import { AgentMessages } from "@gantry/plugin-agents/contract";
import type { PromptImage } from "@gantry/plugin-agents/contract";
import { errors } from "../errors.ts";
import type { Annotations } from "../records/annotations.ts";
import type { Annotation } from "../records/schemas.ts";
import { writeAnnotationPrompt } from "./annotation-prompt.ts";

/** Annotations in one prompt. */
export const MAX_ANNOTATIONS_SENT = 20;
/** Pictures in one prompt; more are not taken by the operation that sends a prompt either. */
const MAX_PICTURES = 4;
/** What a CLI that takes text only rejects a picture with. */
const TEXT_ONLY: ReadonlySet<string> = new Set([
  "AGENT_UNSUPPORTED",
  "AGENT_IN_TERMINAL",
]);

/** Dependencies of {@link createAnnotationSender}. */
export interface AnnotationSenderOptions {
  annotations: Pick<Annotations, "get" | "readScreenshot" | "markSent">;
  messages(): AgentMessages | undefined;
  log: Pick<Log, "warn">;
  /** Aborts when the plugin stops. A client that disconnects does not take back what it sent. */
  signal: AbortSignal;
}

/**
 * Sends annotations to an agent as one prompt. The pictures of the first four are attached where the agent takes any.
 *
 * @throws `BROWSER_ANNOTATION_NOT_FOUND`, `BROWSER_AGENT_NOT_FOUND` (404), `BROWSER_AGENTS_MISSING` (503), and what
 *   `AgentMessages.prompt` rejects with. The annotations are kept in any case.
 */
export type SendAnnotations = (input: {
  ids: readonly string[];
  agentId: string;
}) => Promise<{ taskId: string; delivery: "sent" | "queued" }>;

/** Creates the function that sends annotations. */
export function createAnnotationSender({
  annotations,
  messages,
  log,
  signal,
}: AnnotationSenderOptions): SendAnnotations {
  async function find(ids: readonly string[]): Promise<Annotation[]> {
    const found: Annotation[] = [];
    for (const id of new Set(ids)) {
      const annotation = await annotations.get(id);
      if (!annotation) throw errors.BROWSER_ANNOTATION_NOT_FOUND({ id });
      found.push(annotation);
    }
    return found;
  }

  async function readPictures(
    all: readonly Annotation[],
  ): Promise<{ id: string; image: PromptImage }[]> {
    const pictures: { id: string; image: PromptImage }[] = [];
    for (const { id, screenshot } of all) {
      if (screenshot === null || pictures.length === MAX_PICTURES) continue;
      const picture = await annotations.readScreenshot(id);
      if (picture)
        pictures.push({
          id,
          image: { mimeType: picture.mediaType, data: picture.base64 },
        });
    }
    return pictures;
  }

  return async ({ ids, agentId }) => {
    const service = messages();
    if (!service)
      throw errors.BROWSER_AGENTS_MISSING({ service: AgentMessages.id });
    if (!(await service.describe({ agentId }, signal)))
      throw errors.BROWSER_AGENT_NOT_FOUND({ id: agentId });
    const found = await find(ids);
    const pictures = await readPictures(found);
    const prompt = (attached: typeof pictures) =>
      service.prompt(
        {
          agentId,
          message: writeAnnotationPrompt(
            found,
            attached.map(({ id }) => id),
          ),
          images: attached.map(({ image }) => image),
          kind: "prompt",
          source: "browser",
        },
        signal,
      );
    const sent = await prompt(pictures).catch((error: unknown) => {
      // The text alone is enough to find the elements.
      const isTextOnly = isGantryError(error) && TEXT_ONLY.has(error.code);
      if (pictures.length === 0 || !isTextOnly) throw error;
      return prompt([]);
    });
    try {
      for (const { id } of found) await annotations.markSent(id, agentId);
    } catch (error) {
      // The agent has the prompt: a caller that gets an error now would send it twice.
      log.warn("Annotations that were sent are listed as not sent", {
        ...{ agentId, reason: describeError(error) },
      });
    }
    return sent;
  };
}
