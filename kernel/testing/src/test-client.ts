/* eslint-disable gantry/no-bare-fetch -- a test calls the daemon as any other program does */
/** An answer of the test kernel, read whole. */
export interface TestAnswer<Body = unknown> {
  /** HTTP status code; redirects are not followed. */
  status: number;
  /** All response headers. */
  headers: Headers;
  /** The JSON body, or the text if it is none. */
  body: Body;
}

/** What a request may carry. */
export interface TestRequest {
  /** Sent as JSON, unless it is bytes. */
  body?: object | Uint8Array;
  /** Added to those of the client, or in place of them. */
  headers?: Record<string, string>;
  /** Added to the path; values of `undefined` are left out. */
  query?: Record<string, string | number | boolean | undefined>;
}

/** Calls a kernel over real HTTP. */
export interface TestClient {
  /** Sends a request of any method. Resolves for every status code. */
  request<Body = unknown>(
    method: string,
    path: string,
    request?: TestRequest,
  ): Promise<TestAnswer<Body>>;
  /** Sends a GET request. */
  get<Body = unknown>(
    path: string,
    query?: TestRequest["query"],
  ): Promise<TestAnswer<Body>>;
  /** Sends a POST request with a JSON body. */
  post<Body = unknown>(
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<TestAnswer<Body>>;
  /** Sends a PUT request with a JSON body. */
  put<Body = unknown>(
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<TestAnswer<Body>>;
  /** Sends a PATCH request with a JSON body. */
  patch<Body = unknown>(
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<TestAnswer<Body>>;
  /** Sends a DELETE request. */
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
