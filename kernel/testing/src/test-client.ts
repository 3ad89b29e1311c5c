/* eslint-disable gantry/no-bare-fetch -- a test calls the daemon as any other program does */
/** An answer of the test kernel, read whole. */
export interface TestAnswer<Body = unknown> {
  status: number;
  headers: Headers;
  /** The JSON body, or the text if it is none. */
  body: Body;
}

/** What a request may carry. */
export interface TestRequest {
  /** Sent as JSON, unless it is bytes. */
  body?: object | Uint8Array;
  headers?: Record<string, string>;
  query?: Record<string, string | number | boolean | undefined>;
}

/** Calls a kernel over real HTTP. */
export interface TestClient {
  request<Body = unknown>(
    method: string,
    path: string,
    request?: TestRequest,
  ): Promise<TestAnswer<Body>>;
  get<Body = unknown>(
    path: string,
    query?: TestRequest["query"],
  ): Promise<TestAnswer<Body>>;
  post<Body = unknown>(
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<TestAnswer<Body>>;
  put<Body = unknown>(
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<TestAnswer<Body>>;
  patch<Body = unknown>(
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<TestAnswer<Body>>;
  delete<Body = unknown>(
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<TestAnswer<Body>>;
  /** The raw answer, for streams. */
  open(path: string, init?: RequestInit): Promise<Response>;
}

/** Makes a client that sends certain headers with each request. */
export function createTestClient(
  base: () => string,
  headers: () => Record<string, string>,
): TestClient {
  async function request<Body>(
    method: string,
    path: string,
    options: TestRequest = {},
  ): Promise<TestAnswer<Body>> {
    const url = new URL(path, base());
    for (const [name, value] of Object.entries(options.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const { body } = options;
    const isBytes = body instanceof Uint8Array;
    const response = await fetch(url, {
      method,
      redirect: "manual",
      headers: {
        ...headers(),
        ...(body && !isBytes ? { "content-type": "application/json" } : {}),
        ...options.headers,
      },
      ...(body
        ? {
            body: isBytes
              ? (body as Uint8Array<ArrayBuffer>)
              : JSON.stringify(body),
          }
        : {}),
    });
    const text = await response.text();
    const type = response.headers.get("content-type") ?? "";
    // What a HEAD would have got is announced and not there.
    const isJson = type.includes("json") && text !== "";
    return {
      status: response.status,
      headers: response.headers,
      body: (isJson ? JSON.parse(text) : text) as Body,
    };
  }

  return {
    request,
    get: (path, query) => request("GET", path, { query }),
    post: (path, body, own) => request("POST", path, { body, headers: own }),
    put: (path, body, own) => request("PUT", path, { body, headers: own }),
    patch: (path, body, own) => request("PATCH", path, { body, headers: own }),
    delete: (path, body, own) =>
      request("DELETE", path, { body, headers: own }),
    open: (path, init) =>
      fetch(new URL(path, base()), {
        ...init,
        headers: { ...headers(), ...(init?.headers as object) },
      }),
  };
}
