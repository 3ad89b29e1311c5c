import type { ProtocolEvent } from "../protocol/protocol-connection.ts";
import type { TabPart, TabSession } from "./tab-session.ts";
import type { FileRequest } from "./view-messages.ts";

/** The field of the page that waits for files. */
interface FileField {
  backendNodeId: number;
  isMultiple: boolean;
}

/** A page's request for files, which its viewers answer. */
export class FileChooser implements TabPart {
  readonly #session: TabSession;
  readonly #onChange: (request: FileRequest | null) => void;
  #field: FileField | undefined;

  constructor(
    session: TabSession,
    onChange: (request: FileRequest | null) => void,
  ) {
    this.#session = session;
    this.#onChange = onChange;
  }

  get current(): FileRequest | null {
    return this.#field ? { multiple: this.#field.isMultiple } : null;
  }

  take({ method, params }: ProtocolEvent): void {
    const { frame } = params as { frame?: { parentId?: string } };
    if (method === "Page.frameNavigated" && frame?.parentId === undefined)
      this.#set(undefined);
    if (method !== "Page.fileChooserOpened") return;
    const { backendNodeId, mode } = params as {
      backendNodeId?: number;
      mode: string;
    };
    // Without an input element it is a picker of the File System Access API, to which we cannot pass files.
    if (backendNodeId === undefined) return;
    const isMultiple = mode === "selectMultiple";
    this.#set({ backendNodeId, isMultiple });
  }

  /** Sets the files of the input element; the browser must be able to read them. An empty list leaves it as it is. */
  async choose(files: readonly string[]): Promise<void> {
    const field = this.#field;
    this.#set(undefined);
    if (!field || files.length === 0) return;
    await this.#session.call("DOM.setFileInputFiles", {
      files: field.isMultiple ? files : files.slice(0, 1),
      backendNodeId: field.backendNodeId,
    });
  }

  #set(field: FileField | undefined): void {
    if (!field && !this.#field) return;
    this.#field = field;
    this.#onChange(this.current);
  }
}
