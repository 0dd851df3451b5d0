// Stands in for the C server where there is no compiler: same answer, same stamps file.
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";

const ANSWER =
  "HTTP/1.1 200 OK\r\nDate: Mon, 30 Nov 2026 10:00:00 GMT\r\nContent-Type: application/json\r\n" +
  "Content-Length: 27\r\nConnection: keep-alive\r\nApigw-Requestid: Jx1aBhZrIAMEPqA=\r\n\r\n" +
  '{"message":"hello, world!"}';
const stampsFile = process.argv[2];
const stamps: bigint[] = [];

const server = createServer({ noDelay: true }, (socket) => {
  let rest = "";
  socket.on("error", () => socket.destroy());
  socket.on("data", (data) => {
    const heads = (rest + data.toString("latin1")).split("\r\n\r\n");
    rest = heads.pop() ?? "";
    for (const _ of heads) {
      if (stampsFile !== undefined) stamps.push(process.hrtime.bigint());
      socket.write(ANSWER);
    }
  });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") console.log(address?.port);
});
process.on("SIGTERM", () => {
  if (stampsFile !== undefined) writeFileSync(stampsFile, new BigInt64Array(stamps));
  process.exit(0);
});
