// The one call of kinesalite that the tests make; the package has no types.
declare module "kinesalite" {
  import type { Server } from "node:http";

  function kinesalite(options?: { createStreamMs?: number; shardLimit?: number }): Server;
  export = kinesalite;
}
