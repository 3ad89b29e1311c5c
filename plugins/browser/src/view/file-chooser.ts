import type { ProtocolEvent } from "../protocol/protocol-connection.ts";
import type { TabPart, TabSession } from "./tab-session.ts";

/** Shows a page's file request to the viewer instead of a system dialog. */
export class FileChooser implements TabPart {
  readonly #session: TabSession;
  readonly #onAsked: (isMultiple: boolean) => void;
  #field: { backendNodeId: number; isMultiple: boolean } | undefined;

  constructor(session: TabSession, onAsked: (isMultiple: boolean) => void) {
    this.#session = session;
    this.#onAsked = onAsked;
  }

  take({ method, params }: ProtocolEvent): void {
    if (method !== "Page.fileChooserOpened") return;
    const { backendNodeId, mode } = params as {
      backendNodeId?: number;
      mode: string;
    };
    // Without an input element it is a picker of the File System Access API, to which we cannot pass files.
    if (backendNodeId === undefined) return;
    const isMultiple = mode === "selectMultiple";
    this.#field = { backendNodeId, isMultiple };
    this.#onAsked(isMultiple);
  }

  /** Sets the files of the input element; the browser must be able to read them. An empty list leaves it as it is. */
  async choose(files: readonly string[]): Promise<void> {
    const field = this.#field;
    this.#field = undefined;
    if (!field || files.length === 0) return;
    await this.#session.call("DOM.setFileInputFiles", {
      files: field.isMultiple ? files : files.slice(0, 1),
      backendNodeId: field.backendNodeId,
    });
  }
}
