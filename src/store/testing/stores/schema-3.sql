-- kernel.db as git-txn of schema 3 left it, whose tables are those of schema 2: every type of event of then, its first
-- 28 pruned (the artifact is checkpoint.jsonl), a durable consumer's position, a sentinel. Never edited; made anew by nobody.
BEGIN TRANSACTION;
CREATE TABLE events (
  seq            INTEGER PRIMARY KEY,
  time           TEXT    NOT NULL,
  type           TEXT    NOT NULL,
  subject        TEXT    NOT NULL,
  schema_version INTEGER NOT NULL,
  dedup_key      TEXT    NOT NULL UNIQUE,
  payload        TEXT    NOT NULL,
  prev_hash      TEXT    NOT NULL,
  hash           TEXT    NOT NULL
) STRICT;
INSERT INTO events VALUES(29,'2023-11-14T22:13:20.000Z','txn.begun','t-2',1,'txn:t-2:begun:1','{"attached":false,"attempts":[],"author":null,"command":["sh","-c","echo %FF 100%25"],"committer":{"email":"ada@example.org","name":"Ada"},"created_wall_ms":1700000000000,"id":"t-2","isolation":"strict","landed_commit":"","name":"fix auth","owner":"Ada <ada@example.org>","priority":0,"slot":0,"state":"open","subdir":"","target":"refs/heads/main","version":0,"waiting_reason":"","waiting_subject":""}','fd006a62ccc49f46fd609385213e3cf02790ec90216ea1ddffd2b1bf930e1bb6','d4205923ea33c969e05ccfac6842b65bdfc28e9ae5bdad8c0c9e5ad82ca64320');
INSERT INTO events VALUES(30,'2023-11-14T22:13:20.000Z','txn.attempt','t-2',1,'txn:t-2:attempt:1','{"base":"0000000000000000000000000000000000000003","base_seq":0,"command_exit":null,"kept":"","number":1,"reads":"","reads_complete":false,"tool_env":"","traces":[],"unknown_reason":"","worktree":"/state/repo/1/tree","writes":""}','d4205923ea33c969e05ccfac6842b65bdfc28e9ae5bdad8c0c9e5ad82ca64320','d6fd1520b631304d2be7ca8326283bf353f643a6f678739ca09dd39fd37a2c28');
INSERT INTO events VALUES(31,'2023-11-14T22:13:20.000Z','txn.command.started','t-2',1,'seq:31','{"argv":["sh"],"attempt":1,"trace":"/state/trace"}','d6fd1520b631304d2be7ca8326283bf353f643a6f678739ca09dd39fd37a2c28','1020e5c31d50a711de59db4f7d1f87b7f72a0864b66335b18a81867aec1511ad');
INSERT INTO events VALUES(32,'2023-11-14T22:13:20.000Z','txn.command.ended','t-2',1,'seq:32','{"attempt":1,"exit":0}','1020e5c31d50a711de59db4f7d1f87b7f72a0864b66335b18a81867aec1511ad','3644fc497d137fd8b171cc8ca2026bc11fe5622879ea0e3564a9d6257895224c');
INSERT INTO events VALUES(33,'2023-11-14T22:13:20.000Z','txn.taken','t-2',1,'seq:33','{"attempt":1,"base":"","kept":"0000000000000000000000000000000000000009","reads":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","reads_complete":true,"tool_env":"","unknown_reason":"","writes":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}','3644fc497d137fd8b171cc8ca2026bc11fe5622879ea0e3564a9d6257895224c','7d60b144ec5d34ba77745dc40a9014ca92352fdd5266a117ca9ec2fd4f196217');
INSERT INTO events VALUES(34,'2023-11-14T22:13:20.000Z','txn.prepared','t-2',1,'seq:34','{"attempt":1,"committer":null}','7d60b144ec5d34ba77745dc40a9014ca92352fdd5266a117ca9ec2fd4f196217','53d793495c4dbe344f7d47f197b227b89bc400139b581e7d9f391d35304d9884');
INSERT INTO events VALUES(35,'2023-11-14T22:13:20.000Z','txn.rejected','t-2',1,'seq:35','{"attempt":1,"conflicts":[{"cause":"src/caf%E9.c","changed_by":"t-1","head_digest":"bb","hint":"read it again","kind":"read-stale","read_by":"pid 7, cat x","read_digest":"aa","subject":"src/caf%E9.c"}]}','53d793495c4dbe344f7d47f197b227b89bc400139b581e7d9f391d35304d9884','76c4f9f14fae943a1cc3694b73ad018b22aa3c8affa745ae5e6c4353e39759d7');
INSERT INTO events VALUES(36,'2023-11-14T22:13:20.000Z','txn.reopened','t-2',1,'seq:36','{"attached":true,"owner":"Eve","slot":3}','76c4f9f14fae943a1cc3694b73ad018b22aa3c8affa745ae5e6c4353e39759d7','04663ea468ed66bd07c443283fa4f787b659d6f57eb598cf6a0a8fa662095222');
INSERT INTO events VALUES(37,'2023-11-14T22:13:20.000Z','txn.owner.lost','t-2',1,'txn:t-2:owner-lost:3','{"slot":3}','04663ea468ed66bd07c443283fa4f787b659d6f57eb598cf6a0a8fa662095222','f71013a1a4e46f06608d90de5930126def3b7af09a5ca04d97e4708a1a1dfd80');
INSERT INTO events VALUES(38,'2023-11-14T22:13:20.000Z','txn.aborted','t-2',1,'seq:38','{"actor":"Ada","why":"not needed"}','f71013a1a4e46f06608d90de5930126def3b7af09a5ca04d97e4708a1a1dfd80','6125c7b58bbe6b2f1c163e0ef0612a6bf7f01d1350a9b6c9f7b1b3067a4ec3f8');
INSERT INTO events VALUES(39,'2023-11-14T22:13:20.000Z','txn.begun','t-3',1,'txn:t-3:begun:1','{"attached":false,"attempts":[],"author":null,"command":["sh","-c","echo %FF 100%25"],"committer":{"email":"ada@example.org","name":"Ada"},"created_wall_ms":1700000000000,"id":"t-3","isolation":"strict","landed_commit":"","name":"fix auth","owner":"Ada <ada@example.org>","priority":0,"slot":0,"state":"open","subdir":"","target":"refs/heads/main","version":0,"waiting_reason":"","waiting_subject":""}','6125c7b58bbe6b2f1c163e0ef0612a6bf7f01d1350a9b6c9f7b1b3067a4ec3f8','87eaa1b1517771f43036b5cf689ab5a9b71194d89ab17374e8b5e349a12155b2');
INSERT INTO events VALUES(40,'2023-11-14T22:13:20.000Z','txn.attempt','t-3',1,'txn:t-3:attempt:1','{"base":"0000000000000000000000000000000000000003","base_seq":0,"command_exit":null,"kept":"","number":1,"reads":"","reads_complete":false,"tool_env":"","traces":[],"unknown_reason":"","worktree":"/state/repo/1/tree","writes":""}','87eaa1b1517771f43036b5cf689ab5a9b71194d89ab17374e8b5e349a12155b2','fc1dd3c8c534ffdc66b249f950aa63903a62dae4c675e2c14728ef0b5f11104c');
INSERT INTO events VALUES(41,'2023-11-14T22:13:20.000Z','txn.command.started','t-3',1,'seq:41','{"argv":["sh"],"attempt":1,"trace":"/state/trace"}','fc1dd3c8c534ffdc66b249f950aa63903a62dae4c675e2c14728ef0b5f11104c','1dd7fc12c8dc9efc2be119dd5334bbbccc645b1513adfbce38563bee4c90cca6');
INSERT INTO events VALUES(42,'2023-11-14T22:13:20.000Z','txn.command.ended','t-3',1,'seq:42','{"attempt":1,"exit":0}','1dd7fc12c8dc9efc2be119dd5334bbbccc645b1513adfbce38563bee4c90cca6','248ee8f1b5975d8ced9ca054db2062c94f484cdcbcc0b6ace22a59a185e410d3');
INSERT INTO events VALUES(43,'2023-11-14T22:13:20.000Z','txn.taken','t-3',1,'seq:43','{"attempt":1,"base":"","kept":"0000000000000000000000000000000000000009","reads":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","reads_complete":true,"tool_env":"","unknown_reason":"","writes":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}','248ee8f1b5975d8ced9ca054db2062c94f484cdcbcc0b6ace22a59a185e410d3','66996df25a1c5e7bc192ab93935f44c4eb0bf1f5b91c0891e9cfc4c284bda56e');
INSERT INTO events VALUES(44,'2023-11-14T22:13:20.000Z','txn.prepared','t-3',1,'seq:44','{"attempt":1,"committer":null}','66996df25a1c5e7bc192ab93935f44c4eb0bf1f5b91c0891e9cfc4c284bda56e','3eef1dffbc27249f51e9e4a60e45b6f2c7d230f65f038bb6a66697cc1c612438');
INSERT INTO events VALUES(45,'2023-11-14T22:13:20.000Z','txn.quarantined','t-3',1,'seq:45','{"conflicts":[{"cause":"src/caf%E9.c","changed_by":"t-1","head_digest":"bb","hint":"read it again","kind":"read-stale","read_by":"pid 7, cat x","read_digest":"aa","subject":"src/caf%E9.c"}],"why":"3 tries"}','3eef1dffbc27249f51e9e4a60e45b6f2c7d230f65f038bb6a66697cc1c612438','fdb4ebdd58274d0f0e2a1ecef19bd972a02806d453c99e6322c05f58249a17d4');
INSERT INTO events VALUES(46,'2023-11-14T22:13:20.000Z','txn.begun','t-4',1,'txn:t-4:begun:1','{"attached":false,"attempts":[],"author":null,"command":["sh","-c","echo %FF 100%25"],"committer":{"email":"ada@example.org","name":"Ada"},"created_wall_ms":1700000000000,"id":"t-4","isolation":"strict","landed_commit":"","name":"fix auth","owner":"Ada <ada@example.org>","priority":0,"slot":0,"state":"open","subdir":"","target":"refs/heads/main","version":0,"waiting_reason":"","waiting_subject":""}','fdb4ebdd58274d0f0e2a1ecef19bd972a02806d453c99e6322c05f58249a17d4','40f5e7545b7087b44e37b2a1246307f4711cdbe085b90b1280478a4ee8cd5cf9');
INSERT INTO events VALUES(47,'2023-11-14T22:13:20.000Z','txn.attempt','t-4',1,'txn:t-4:attempt:1','{"base":"0000000000000000000000000000000000000003","base_seq":0,"command_exit":null,"kept":"","number":1,"reads":"","reads_complete":false,"tool_env":"","traces":[],"unknown_reason":"","worktree":"/state/repo/1/tree","writes":""}','40f5e7545b7087b44e37b2a1246307f4711cdbe085b90b1280478a4ee8cd5cf9','355a1ebf7dcb8b416e74fb85af7b3ab1fe074d330a7518dc482e7a79d71f3203');
INSERT INTO events VALUES(48,'2023-11-14T22:13:20.000Z','txn.command.started','t-4',1,'seq:48','{"argv":["sh"],"attempt":1,"trace":"/state/trace"}','355a1ebf7dcb8b416e74fb85af7b3ab1fe074d330a7518dc482e7a79d71f3203','bf2bf9232fa32cc881e54b8479cba8f867d468fc7e7606b449faa7b81638858e');
INSERT INTO events VALUES(49,'2023-11-14T22:13:20.000Z','txn.command.ended','t-4',1,'seq:49','{"attempt":1,"exit":0}','bf2bf9232fa32cc881e54b8479cba8f867d468fc7e7606b449faa7b81638858e','5aef52f145765559fa000ae105268d6d82459ca469b4443a450c468cb1b2b373');
INSERT INTO events VALUES(50,'2023-11-14T22:13:20.000Z','txn.taken','t-4',1,'seq:50','{"attempt":1,"base":"","kept":"0000000000000000000000000000000000000009","reads":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","reads_complete":true,"tool_env":"","unknown_reason":"","writes":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}','5aef52f145765559fa000ae105268d6d82459ca469b4443a450c468cb1b2b373','dfdf4f12b98fb2acd0d9078fe4b8209e6848d4ef7410e74fa19b610257ef6491');
INSERT INTO events VALUES(51,'2023-11-14T22:13:20.000Z','txn.prepared','t-4',1,'seq:51','{"attempt":1,"committer":null}','dfdf4f12b98fb2acd0d9078fe4b8209e6848d4ef7410e74fa19b610257ef6491','b2c1302f9f4ec6c4ed11d540106775004db72c1d394107f4ea7e0fc586e7ebb8');
INSERT INTO events VALUES(52,'2023-11-14T22:13:20.000Z','txn.nothing','t-4',1,'seq:52','{"why":"it changed nothing"}','b2c1302f9f4ec6c4ed11d540106775004db72c1d394107f4ea7e0fc586e7ebb8','b4cd6b65312bf444979c7161bf5bf9547c2fc761fc0476dfc90a3d4944cc6e40');
INSERT INTO events VALUES(53,'2023-11-14T22:13:20.000Z','gate.evaluated','test',1,'seq:53','{"duration_ms":0,"exit_status":0,"gate":"test","gate_version":"","inputs":"","output":"","parent":"","passed":false,"timed_out":false,"tool_env":"","tree":"","txn":""}','b4cd6b65312bf444979c7161bf5bf9547c2fc761fc0476dfc90a3d4944cc6e40','44ffb1233af8bab5048b3f490a9894fe5dc76542e9eb3ca8feb7d1ef4dcae3b2');
INSERT INTO events VALUES(54,'2023-11-14T22:13:20.000Z','policy.trusted','abc',1,'policy:abc:trusted:Ada','{"actor":"Ada","hash":"abc"}','44ffb1233af8bab5048b3f490a9894fe5dc76542e9eb3ca8feb7d1ef4dcae3b2','0405517d45657e70f8e75eab65b6b3a4472e5257d3ffa719e905f9d66143c922');
INSERT INTO events VALUES(55,'2023-11-14T22:13:20.000Z','summary.added','summaries',1,'summary:overview:added:abc/t-1','{"manifest":"abc","name":"overview","txn":"t-1"}','0405517d45657e70f8e75eab65b6b3a4472e5257d3ffa719e905f9d66143c922','8acd2d2ae9be45836e01117b5110b248ece42d6b1a81b8f32b9815f2b38c827a');
INSERT INTO events VALUES(56,'2023-11-14T22:13:20.000Z','turn.ticket','refs/heads/main',1,'turn:4:taken:1','{"number":4,"owner":"","priority":0,"txn":"t-3"}','8acd2d2ae9be45836e01117b5110b248ece42d6b1a81b8f32b9815f2b38c827a','208b3e179e81710c2aeef1e4fe2b5791a956c5bd6c1e1495c2ed233848279511');
INSERT INTO events VALUES(57,'2023-11-14T22:13:20.000Z','turn.done','refs/heads/main',1,'turn:4:done:1','{"number":4,"txn":"t-3","why":"its turn is over"}','208b3e179e81710c2aeef1e4fe2b5791a956c5bd6c1e1495c2ed233848279511','ee3f5015f8304a0bf6446c4f0bae1713e54b11f6bcf1d87d7700e1ddd4b57900');
INSERT INTO events VALUES(58,'2023-11-14T22:13:20.000Z','consumer.registered','audit',1,'seq:58','{"kind":"durable","position":0,"ttl_ms":0,"types":["branch.durable"]}','ee3f5015f8304a0bf6446c4f0bae1713e54b11f6bcf1d87d7700e1ddd4b57900','f1009ab1d0465b5e655abea0865fc4826975b06c1fe2c7b3289d84e42ec3568e');
INSERT INTO events VALUES(59,'2023-11-14T22:13:20.000Z','consumer.stale','audit',1,'consumer:audit:stale:58.0','{"oldest":5,"position":0,"registration":58}','f1009ab1d0465b5e655abea0865fc4826975b06c1fe2c7b3289d84e42ec3568e','62d5c97154c0b3ce0272d85c351ece164be2a098f75f40e98b23e50360af55a4');
INSERT INTO events VALUES(60,'2023-11-14T22:13:20.000Z','consumer.removed','audit',1,'consumer:audit:removed:58','{"registration":58,"why":"by hand"}','62d5c97154c0b3ce0272d85c351ece164be2a098f75f40e98b23e50360af55a4','87eb7b146fd5086a80f3f6b3933801118bb5dd05897c167e45a26617001ed580');
INSERT INTO events VALUES(61,'2023-11-14T22:13:20.000Z','handler.started','tell',1,'seq:61','{"attempt":1,"event":3}','87eb7b146fd5086a80f3f6b3933801118bb5dd05897c167e45a26617001ed580','6bfa78b44364e59d16b2180b9aa487bcaa8b827bc2da72203530e2a4f6b1f9b2');
INSERT INTO events VALUES(62,'2023-11-14T22:13:20.000Z','handler.ended','tell',1,'seq:62','{"attempt":1,"duration_ms":7,"event":3,"exit":1,"output":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","retry_at_ms":1000,"state":"failing","timed_out":false}','6bfa78b44364e59d16b2180b9aa487bcaa8b827bc2da72203530e2a4f6b1f9b2','42ed5120cd852dc66cc39169187dc47b8c8bce815f9769f928168c132e26682d');
INSERT INTO events VALUES(63,'2023-11-14T22:13:20.000Z','handler.retried','tell',1,'seq:63','{"actor":"Ada","event":3}','42ed5120cd852dc66cc39169187dc47b8c8bce815f9769f928168c132e26682d','43fa1c971f0f2b1ed9543fbffe49c5101bbc07811f6a7d0a3911e441003dcee0');
INSERT INTO events VALUES(64,'2023-11-14T22:13:20.000Z','workflow.created','w-1',1,'workflow:w-1:created:1','{"actor":"Ada","branch":"refs/heads/main","id":"w-1","name":"feature","phases":[{"name":"plan","state":"open","version":1},{"name":"build","state":"pending","version":1},{"name":"ship","state":"pending","version":1}],"version":1}','43fa1c971f0f2b1ed9543fbffe49c5101bbc07811f6a7d0a3911e441003dcee0','44a3faf81c0385527e8ccb4ea2f88402a334332fb2aebde83daf2ba2e4928f2e');
INSERT INTO events VALUES(65,'2023-11-14T22:13:20.000Z','gate.phase-evaluated','w-1',1,'seq:65','{"certificate":"","gate":"plan-is-there","gate_version":"","head":"0000000000000000000000000000000000000003","kind":"artifact","passed":false,"phase":"plan","version":1,"why":""}','44a3faf81c0385527e8ccb4ea2f88402a334332fb2aebde83daf2ba2e4928f2e','6041431cc7c089e2788c91a691c43e8fc8e59ea301622ece22a2a1fc577df71a');
INSERT INTO events VALUES(66,'2023-11-14T22:13:20.000Z','verdict.given','w-1',1,'seq:66','{"actor":"Ada","name":"review","note":"","passed":false,"phase":"plan","version":1}','6041431cc7c089e2788c91a691c43e8fc8e59ea301622ece22a2a1fc577df71a','3bb17539868847adaf2d0682d8a64d9f55ef0d2293c5fe295ba902902cb4acb9');
INSERT INTO events VALUES(67,'2023-11-14T22:13:20.000Z','txn.begun','t-5',1,'txn:t-5:begun:1','{"attached":false,"attempts":[],"author":null,"command":["sh","-c","echo %FF 100%25"],"committer":{"email":"ada@example.org","name":"Ada"},"created_wall_ms":1700000000000,"id":"t-5","isolation":"strict","landed_commit":"","name":"fix auth","owner":"Ada <ada@example.org>","phase":"plan","priority":0,"slot":0,"state":"open","subdir":"","target":"refs/heads/main","version":0,"waiting_reason":"","waiting_subject":"","workflow":"w-1"}','3bb17539868847adaf2d0682d8a64d9f55ef0d2293c5fe295ba902902cb4acb9','ff8d199093a729a85b0cbda23d00d640b2db1567fde824129f2d6c496b4b370c');
INSERT INTO events VALUES(68,'2023-11-14T22:13:20.000Z','phase.joined','t-5',1,'txn:t-5:joined:1','{"gates":"abc","phase":"plan","phase_version":1,"workflow":"w-1","workflow_version":1}','ff8d199093a729a85b0cbda23d00d640b2db1567fde824129f2d6c496b4b370c','b83131f1bdb666a3e7a0101492134fbacc2d586c9d1dd4c369309789a47376e8');
INSERT INTO events VALUES(69,'2023-11-14T22:13:20.000Z','phase.carried','t-5',1,'seq:69','{"gates":"abc","phase":"plan","phase_version":1,"workflow":"w-1","workflow_version":1}','b83131f1bdb666a3e7a0101492134fbacc2d586c9d1dd4c369309789a47376e8','7a1dc0041dee10613517f18c5aaf39ca2e5b3b36c1e00431f7c1fd3cd29d99ea');
INSERT INTO events VALUES(70,'2023-11-14T22:13:20.000Z','phase.advanced','w-1',1,'workflow:w-1:advanced:1','{"actor":"Ada","from":"plan","to":"build","version":1}','7a1dc0041dee10613517f18c5aaf39ca2e5b3b36c1e00431f7c1fd3cd29d99ea','eb17724186c442f681d5502c7b065203ca6b90ec0441f79887b8f7d161c3e58c');
INSERT INTO events VALUES(71,'2023-11-14T22:13:20.000Z','phase.skipped','w-1',1,'workflow:w-1:skipped:2','{"actor":"Ada","from":"build","reason":"because","to":"ship","version":2}','eb17724186c442f681d5502c7b065203ca6b90ec0441f79887b8f7d161c3e58c','632ba01837544a90ff7a100828c7356396d7c3c009bc09314ec5fc53480255ef');
INSERT INTO events VALUES(72,'2023-11-14T22:13:20.000Z','phase.rolled-back','w-1',1,'workflow:w-1:rolled-back:3','{"actor":"Ada","cancelled":[],"from":"ship","reason":"because","to":"plan","version":3}','632ba01837544a90ff7a100828c7356396d7c3c009bc09314ec5fc53480255ef','a9d72b87b3673650f836b933f65fabbee4e08b289e5483aeb0fe54f91d163763');
INSERT INTO events VALUES(73,'2023-11-14T22:13:20.000Z','phase.overridden','w-1',1,'workflow:w-1:overridden:4','{"actor":"Ada","failed":["review"],"from":"plan","reason":"because","to":"build","version":4}','a9d72b87b3673650f836b933f65fabbee4e08b289e5483aeb0fe54f91d163763','19a7671314955d28d00e9f642d5993e7bcf15a1a4f3ffb2f1b810fef6001841b');
INSERT INTO events VALUES(74,'2023-11-14T22:13:20.000Z','txn.begun','t-6',1,'txn:t-6:begun:1','{"attached":false,"attempts":[],"author":null,"command":["sh","-c","echo %FF 100%25"],"committer":{"email":"ada@example.org","name":"Ada"},"created_wall_ms":1700000000000,"id":"t-6","isolation":"strict","landed_commit":"","name":"fix auth","owner":"Ada <ada@example.org>","priority":0,"slot":0,"state":"open","subdir":"","target":"refs/heads/main","version":0,"waiting_reason":"","waiting_subject":""}','19a7671314955d28d00e9f642d5993e7bcf15a1a4f3ffb2f1b810fef6001841b','198fcba973783cb2ec16ac1bc2b879546bb2c620795fcf70bb758cbe461863f9');
INSERT INTO events VALUES(75,'2023-11-14T22:13:20.000Z','txn.attempt','t-6',1,'txn:t-6:attempt:1','{"base":"0000000000000000000000000000000000000003","base_seq":0,"command_exit":null,"kept":"","number":1,"reads":"","reads_complete":false,"tool_env":"","traces":[],"unknown_reason":"","worktree":"/state/repo/1/tree","writes":""}','198fcba973783cb2ec16ac1bc2b879546bb2c620795fcf70bb758cbe461863f9','1e5e8043918e6ee2fcbd2f325e20e8e442766e15020af986ade7daf8aa59e54e');
INSERT INTO events VALUES(76,'2023-11-14T22:13:20.000Z','compensation.registered','t-6',1,'seq:76','{"argv":["make","down"],"attempt":1,"name":"take it down","number":1}','1e5e8043918e6ee2fcbd2f325e20e8e442766e15020af986ade7daf8aa59e54e','b0c980153580fb769021d88716dd1240bd96a5c2e7c56b94967ba75fed2e3c0a');
INSERT INTO events VALUES(77,'2023-11-14T22:13:20.000Z','txn.aborted','t-6',1,'seq:77','{"actor":"Ada","why":"not needed"}','b0c980153580fb769021d88716dd1240bd96a5c2e7c56b94967ba75fed2e3c0a','ff7ea3e8f5414095b322c47e42d194c52deea1c2ff0700ff1d182b9c9711fab6');
INSERT INTO events VALUES(78,'2023-11-14T22:13:20.000Z','compensation.started','t-6',1,'seq:78','{"number":1,"run":1}','ff7ea3e8f5414095b322c47e42d194c52deea1c2ff0700ff1d182b9c9711fab6','c967d4c9a39374f3c0b78815a2871ed65727995f1c78fd46ff176f475c91eef3');
INSERT INTO events VALUES(79,'2023-11-14T22:13:20.000Z','compensation.ended','t-6',1,'seq:79','{"exit":0,"number":1,"output":"","run":1,"timed_out":false}','c967d4c9a39374f3c0b78815a2871ed65727995f1c78fd46ff176f475c91eef3','cdda487935c27b5135c8638b8d0aaec88faf665553150bdab8a763f83398550d');
INSERT INTO events VALUES(80,'2023-11-14T22:13:20.000Z','lease.queued','l-80',1,'lease:l-80:queued:1','{"force":"advisory","number":80,"owner":"Ada","sharing":"exclusive","slot":7,"subjects":[{"kind":"prefix","path":"docs"}],"ttl_ms":60000,"txn":""}','cdda487935c27b5135c8638b8d0aaec88faf665553150bdab8a763f83398550d','2824d7caac978651cffbc43c7363b1502300577098ed48a46933b7fa03b267b4');
INSERT INTO events VALUES(81,'2023-11-14T22:13:20.000Z','lease.acquired','l-81',1,'lease:l-81:acquired:1','{"boot":"boot-1","force":"advisory","number":81,"owner":"Ada","sharing":"exclusive","slot":7,"subjects":[{"kind":"prefix","path":"src"}],"ttl_ms":60000,"txn":"","until_ms":1700000060000}','2824d7caac978651cffbc43c7363b1502300577098ed48a46933b7fa03b267b4','7ff1879e6bbad1a1eafa123da2a648d4b20411f4f97802a187cf7e82713a71ff');
INSERT INTO events VALUES(82,'2023-11-14T22:13:20.000Z','lease.renewed','l-81',1,'seq:82','{"boot":"boot-1","ttl_ms":60000,"until_ms":1700000060000}','7ff1879e6bbad1a1eafa123da2a648d4b20411f4f97802a187cf7e82713a71ff','3b413ff1ca40f49ca73586764990623afa261cb515f9f4237448db36f321d0a8');
INSERT INTO events VALUES(83,'2023-11-14T22:13:20.000Z','lease.transferred','l-81',1,'seq:83','{"from":"Ada","to":"Bob"}','3b413ff1ca40f49ca73586764990623afa261cb515f9f4237448db36f321d0a8','aed91841a324b42eb3cf109644c54e9834a4e27e5abcaff343e0cf43aa24796b');
INSERT INTO events VALUES(84,'2023-11-14T22:13:20.000Z','lease.released','l-81',1,'lease:l-81:released:1','{"why":"done"}','aed91841a324b42eb3cf109644c54e9834a4e27e5abcaff343e0cf43aa24796b','2cbca67ab77b78d1646a37c9bcdb998cd76c08de1f2259789adaceebc0d2dfc4');
INSERT INTO events VALUES(85,'2023-11-14T22:13:20.000Z','lease.acquired','l-85',1,'lease:l-85:acquired:1','{"boot":"boot-1","force":"advisory","number":85,"owner":"Ada","sharing":"exclusive","slot":7,"subjects":[{"kind":"prefix","path":"src"}],"ttl_ms":60000,"txn":"","until_ms":1700000060000}','2cbca67ab77b78d1646a37c9bcdb998cd76c08de1f2259789adaceebc0d2dfc4','7610636d7acd1acb494c82e6fe53abfd68a013c9d5b5ace84d06d3d17ea7f631');
INSERT INTO events VALUES(86,'2023-11-14T22:13:20.000Z','lease.expired','l-85',1,'lease:l-85:expired:1','{"by":"","why":"its time is over"}','7610636d7acd1acb494c82e6fe53abfd68a013c9d5b5ace84d06d3d17ea7f631','d844a847dea9d7105c14afabc5ec1a1f25718cbda99d566d61cfc08b3735d836');
INSERT INTO events VALUES(87,'2023-11-14T22:13:20.000Z','usage.reported','t-1',1,'seq:87','{"items":[{"id":"answer-1","input":10,"output":20}],"source":"hand"}','d844a847dea9d7105c14afabc5ec1a1f25718cbda99d566d61cfc08b3735d836','6e28784d3d3c7e6729fd6fe0ae138b6743c5606cdeef9ec82a4d84bd65a07e9f');
INSERT INTO events VALUES(88,'2023-11-14T22:13:20.000Z','budget.set','txn:t-1',1,'seq:88','{"kind":"input","limit":10}','6e28784d3d3c7e6729fd6fe0ae138b6743c5606cdeef9ec82a4d84bd65a07e9f','61b54382906afb2facdded483c0223d1e10b0dcdecab3c376b914a9bc45b2556');
INSERT INTO events VALUES(89,'2023-11-14T22:13:20.000Z','budget.warning','txn:t-1',1,'budget:txn:t-1/input:warned:88','{"best_effort":true,"kind":"input","limit":10,"txn":"t-1","used":9,"version":88}','61b54382906afb2facdded483c0223d1e10b0dcdecab3c376b914a9bc45b2556','046b0df31b6bbf0ed0b4e77b381016f152d5675602a9c93c43d45d87592a86ae');
INSERT INTO events VALUES(90,'2023-11-14T22:13:20.000Z','budget.exceeded','txn:t-1',1,'budget:txn:t-1/input:exceeded:88','{"best_effort":true,"kind":"input","limit":10,"txn":"t-1","used":10,"version":88}','046b0df31b6bbf0ed0b4e77b381016f152d5675602a9c93c43d45d87592a86ae','df87012cca642ee830f4eb593fb7edc6454d993dc7997a7369043c22a59ecc82');
INSERT INTO events VALUES(91,'2023-11-14T22:13:20.000Z','budget.reconciled','txn:t-1',1,'seq:91','{"billed":0,"kind":"cost","reported":0,"tolerance_percent":0,"within":true}','df87012cca642ee830f4eb593fb7edc6454d993dc7997a7369043c22a59ecc82','ba85ab1fa0e7e4af3f8a66eca35342074a4833a70118c653c663cb4ff2793169');
INSERT INTO events VALUES(92,'2023-11-14T22:13:20.000Z','proposal.made','p-92',1,'seq:92','{"actor":"bot","bounds":{"log":300,"person":500,"start":800},"embedding":[1,-2,32767],"score":420,"source":"","text":"the queue is not fair","txn":""}','ba85ab1fa0e7e4af3f8a66eca35342074a4833a70118c653c663cb4ff2793169','f22e113d5e1df8ed85ff0ca5fa42a238071491a83c1afe67604a4eecfc4a42f0');
INSERT INTO events VALUES(93,'2023-11-14T22:13:20.000Z','proposal.repeated','p-92',1,'proposal:p-92:repeated:34675ebf22431dbd3b60f24413d591fd6716b2c0683e7c29d1bbd5b4f8b58168','{"actor":"bot","by":"text","likeness":930,"score":420,"source":"","text":"the queue is not fair","txn":""}','f22e113d5e1df8ed85ff0ca5fa42a238071491a83c1afe67604a4eecfc4a42f0','868c42211e4f0e0b305bb154ffd23c73fd56bd1af0f4d2a4fd20198e192099bb');
INSERT INTO events VALUES(94,'2023-11-14T22:13:20.000Z','proposal.refused','p-92',1,'proposal:p-92:refused:6308a866e6e8131ffb8f581804be49c2faf3d4166653608f803aed8020052d28','{"actor":"bot","became":"","bounds":{"log":300,"person":500,"start":800},"reason":"","txn":"t-1","yes":"itself"}','868c42211e4f0e0b305bb154ffd23c73fd56bd1af0f4d2a4fd20198e192099bb','72f24784a39ddb73acc9f45497463909568ffe87ca56fe5d772acd60c5f7bf94');
INSERT INTO events VALUES(95,'2023-11-14T22:13:20.000Z','proposal.promoted','p-92',1,'seq:95','{"actor":"Ada","became":"txn:t-1","bounds":{"log":300,"person":500,"start":800},"reason":"because","txn":"","yes":"override"}','72f24784a39ddb73acc9f45497463909568ffe87ca56fe5d772acd60c5f7bf94','fe39441b155010711cd75f3e2b1954c2b945779111c3e61efa83aff06515ba35');
INSERT INTO events VALUES(96,'2023-11-14T22:13:20.000Z','proposal.linked','p-92',1,'seq:96','{"actor":"Ada","became":"workflow:w-1","txn":""}','fe39441b155010711cd75f3e2b1954c2b945779111c3e61efa83aff06515ba35','e748a147c2014b1b5826b1791481129b128a8faf658d02179cc1c8c7aa8160e1');
INSERT INTO events VALUES(97,'2023-11-14T22:13:20.000Z','proposal.made','p-97',1,'seq:97','{"actor":"bot","bounds":{"log":300,"person":500,"start":800},"embedding":[1,-2,32767],"score":420,"source":"","text":"the queue is not fair","txn":""}','e748a147c2014b1b5826b1791481129b128a8faf658d02179cc1c8c7aa8160e1','89edb18546a379103ab4f5f032bb5c45f5419855790f24c0f352f5904ee8a678');
INSERT INTO events VALUES(98,'2023-11-14T22:13:20.000Z','proposal.dismissed','p-97',1,'seq:98','{"actor":"Ada","reason":"no"}','89edb18546a379103ab4f5f032bb5c45f5419855790f24c0f352f5904ee8a678','bb7a29f49ec84b4def37e46b59827cc3a5c7959780011c2b3b00cd4954f4e0f2');
INSERT INTO events VALUES(99,'2023-11-14T22:13:20.000Z','portfolio.member-set','api',1,'seq:99','{"actor":"Ada","log":"urn:uuid:1","needs":[],"place":"/somewhere/api"}','bb7a29f49ec84b4def37e46b59827cc3a5c7959780011c2b3b00cd4954f4e0f2','1999d382bb3b4e83d4f250c2568c1f2250aa9f73090062ba634b89f36cfd8bad');
INSERT INTO events VALUES(100,'2023-11-14T22:13:20.000Z','portfolio.member-removed','api',1,'seq:100','{"actor":"Ada"}','1999d382bb3b4e83d4f250c2568c1f2250aa9f73090062ba634b89f36cfd8bad','340671b632a59f9b8d2905987223ab15f0d57133fac5dfefe1c82d6f192df123');
INSERT INTO events VALUES(101,'2023-11-14T22:13:20.000Z','portfolio.relayed','urn:uuid:2',1,'relay:urn:uuid:2:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','{"data":{},"hash":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","place":"/somewhere","seq":7,"subject":"w-1","time":"2026-01-01T00:00:00.000Z","type":"phase.advanced"}','340671b632a59f9b8d2905987223ab15f0d57133fac5dfefe1c82d6f192df123','3aeefea04c813542074753059734c9a97773549539d46bb4b43cac7f5f434a8b');
INSERT INTO events VALUES(102,'2023-11-14T22:13:20.000Z','log.checkpoint','log',1,'log:checkpoint:made:28','{"actor":"Ada","hash":"fd006a62ccc49f46fd609385213e3cf02790ec90216ea1ddffd2b1bf930e1bb6","seq":28,"state":"a7db85ce65856eca77bb0724165ee16060bd9777329879526d64ba4007abf4e5"}','3aeefea04c813542074753059734c9a97773549539d46bb4b43cac7f5f434a8b','732bb2c17b359a77ab4e0b08b9b47534d0587573520bac59d5d16921fe39131d');
INSERT INTO events VALUES(103,'2023-11-14T22:13:20.000Z','consumer.registered','audit',1,'seq:103','{"kind":"durable","position":103,"ttl_ms":0,"types":[]}','732bb2c17b359a77ab4e0b08b9b47534d0587573520bac59d5d16921fe39131d','c26922c0625fb4a4fc0a649c33ace4e34bc3cc9886ba05cc0dcca4f1ecf24c01');
INSERT INTO events VALUES(104,'2023-11-14T22:13:20.000Z','slot.reserved','',1,'seq:104','{}','c26922c0625fb4a4fc0a649c33ace4e34bc3cc9886ba05cc0dcca4f1ecf24c01','67f896bbde07433212248c5cc86b7bb07277d35c54902fc3ea5a70680aac3bf9');
INSERT INTO events VALUES(105,'2023-11-14T22:13:20.000Z','slot.reserved','',1,'seq:105','{}','67f896bbde07433212248c5cc86b7bb07277d35c54902fc3ea5a70680aac3bf9','8a7e9b4e75a278bd3509ffcd88997799bc6327f5ebe4bf09aac0e4a829eb9182');
CREATE TABLE clock (
  one       INTEGER PRIMARY KEY CHECK (one = 1),
  boot_id   TEXT    NOT NULL,
  offset_ms INTEGER NOT NULL
) STRICT;
INSERT INTO clock VALUES(1,'boot-1',1699999995000);
CREATE TABLE positions (
  consumer     TEXT    PRIMARY KEY,
  registration INTEGER NOT NULL,
  acked        INTEGER NOT NULL,
  moved_ms     INTEGER NOT NULL
) STRICT;
INSERT INTO positions VALUES('audit',103,104,1700000000000);
CREATE TABLE artifacts (
  digest TEXT PRIMARY KEY,
  body   BLOB NOT NULL
) STRICT;
CREATE TABLE log (
  one    INTEGER PRIMARY KEY CHECK (one = 1),
  id     TEXT    NOT NULL,
  pruned INTEGER NOT NULL,
  hash   TEXT    NOT NULL,
  state  TEXT    NOT NULL
) STRICT;
INSERT INTO log VALUES(1,'caffef26-debb-4ffa-900b-8fc83150ad2e',28,'fd006a62ccc49f46fd609385213e3cf02790ec90216ea1ddffd2b1bf930e1bb6','a7db85ce65856eca77bb0724165ee16060bd9777329879526d64ba4007abf4e5');
CREATE TABLE pruned_keys (
  dedup_key TEXT    PRIMARY KEY,
  seq       INTEGER NOT NULL,
  type      TEXT    NOT NULL,
  subject   TEXT    NOT NULL,
  payload   TEXT    NOT NULL
) STRICT;
INSERT INTO pruned_keys VALUES('txn:t-1:begun:1',4,'txn.begun','t-1','c38a2a57e16ec2df893f64bacc7471d4b9f5689836784c37c9fa844aece9e89b');
INSERT INTO pruned_keys VALUES('txn:t-1:attempt:1',5,'txn.attempt','t-1','33b509314c9becb2922a0603500dbda1185b97b171346601387961c5fea9cbe0');
INSERT INTO pruned_keys VALUES('txn:t-1:attempt:2',11,'txn.attempt','t-1','6b3c4ba53fe79aa9c803b79cc00d6b65a7be1553bd74dc86ac62746e19334532');
INSERT INTO pruned_keys VALUES('landing:21:lost:1',22,'landing.lost','t-1','485e9b40e7cfc0bbed2faef5e75d32012c991ed6e5c18c06de4bc6d6b6a63db7');
INSERT INTO pruned_keys VALUES('landing:23:lost:1',24,'landing.lost','t-1','ee950f67377c9a39fc2a641ffd072817e83193d44ee5346bbc3a35d0e6eeae14');
INSERT INTO pruned_keys VALUES('landing:25:landed:1',26,'transaction.landed','t-1','0b8e8b3a6fc2e31b7268922d680aa0225569843c35488fb438af5bdc81c54f7c');
INSERT INTO pruned_keys VALUES('txn:t-1:worktree-removed:1',28,'txn.worktree.removed','t-1','52b9d52738b411875c8fa0233e4e2cabe4579f9609b84bfc58671eae2055df4e');
CREATE TABLE sentinels (
  name     TEXT    PRIMARY KEY,
  until_ms INTEGER NOT NULL,
  every_ms INTEGER NOT NULL,
  boot     TEXT    NOT NULL
) STRICT;
INSERT INTO sentinels VALUES('nightly',1700003600000,3600000,'boot-1');
CREATE TABLE progress (
  one  INTEGER PRIMARY KEY CHECK (one = 1),
  seq  INTEGER NOT NULL,
  hash TEXT    NOT NULL
) STRICT;
INSERT INTO progress VALUES(1,105,'8a7e9b4e75a278bd3509ffcd88997799bc6327f5ebe4bf09aac0e4a829eb9182');
CREATE TABLE txns (
  id        TEXT    PRIMARY KEY,
  name      TEXT    NOT NULL,
  state     TEXT    NOT NULL,
  begun_seq INTEGER NOT NULL,
  body      TEXT    NOT NULL
) STRICT;
INSERT INTO txns VALUES('t-1','fix auth','landed',4,'{"attached":false,"attempts":[{"base":"0000000000000000000000000000000000000002","base_seq":0,"command_exit":0,"kept":"0000000000000000000000000000000000000009","number":1,"reads":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","reads_complete":true,"tool_env":"","traces":["/state/trace"],"unknown_reason":"","worktree":"","writes":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"},{"base":"0000000000000000000000000000000000000002","base_seq":0,"command_exit":0,"kept":"0000000000000000000000000000000000000009","number":2,"reads":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","reads_complete":true,"tool_env":"","traces":["/trace"],"unknown_reason":"","worktree":"/state/repo/2/tree","writes":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}],"author":null,"command":["sh","-c","echo %FF 100%25"],"committer":{"email":"bob@example.org","name":"Bob"},"created_wall_ms":1700000000000,"id":"t-1","isolation":"strict","landed_commit":"0000000000000000000000000000000000000003","name":"fix auth","owner":"Ada <ada@example.org>","priority":0,"slot":0,"state":"landed","subdir":"","target":"refs/heads/main","version":28,"waiting_reason":"","waiting_subject":""}');
INSERT INTO txns VALUES('t-2','fix auth','aborted',29,'{"attached":false,"attempts":[{"base":"0000000000000000000000000000000000000003","base_seq":0,"command_exit":0,"kept":"0000000000000000000000000000000000000009","number":1,"reads":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","reads_complete":true,"tool_env":"","traces":["/state/trace"],"unknown_reason":"","worktree":"/state/repo/1/tree","writes":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}],"author":null,"command":["sh","-c","echo %FF 100%25"],"committer":{"email":"ada@example.org","name":"Ada"},"created_wall_ms":1700000000000,"id":"t-2","isolation":"strict","landed_commit":"","name":"fix auth","owner":"Eve","priority":0,"slot":3,"state":"aborted","subdir":"","target":"refs/heads/main","version":38,"waiting_reason":"","waiting_subject":""}');
INSERT INTO txns VALUES('t-3','fix auth','quarantined',39,'{"attached":false,"attempts":[{"base":"0000000000000000000000000000000000000003","base_seq":0,"command_exit":0,"kept":"0000000000000000000000000000000000000009","number":1,"reads":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","reads_complete":true,"tool_env":"","traces":["/state/trace"],"unknown_reason":"","worktree":"/state/repo/1/tree","writes":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}],"author":null,"command":["sh","-c","echo %FF 100%25"],"committer":{"email":"ada@example.org","name":"Ada"},"created_wall_ms":1700000000000,"id":"t-3","isolation":"strict","landed_commit":"","name":"fix auth","owner":"Ada <ada@example.org>","priority":0,"slot":0,"state":"quarantined","subdir":"","target":"refs/heads/main","version":45,"waiting_reason":"","waiting_subject":""}');
INSERT INTO txns VALUES('t-4','fix auth','nothing',46,'{"attached":false,"attempts":[{"base":"0000000000000000000000000000000000000003","base_seq":0,"command_exit":0,"kept":"0000000000000000000000000000000000000009","number":1,"reads":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","reads_complete":true,"tool_env":"","traces":["/state/trace"],"unknown_reason":"","worktree":"/state/repo/1/tree","writes":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}],"author":null,"command":["sh","-c","echo %FF 100%25"],"committer":{"email":"ada@example.org","name":"Ada"},"created_wall_ms":1700000000000,"id":"t-4","isolation":"strict","landed_commit":"","name":"fix auth","owner":"Ada <ada@example.org>","priority":0,"slot":0,"state":"nothing","subdir":"","target":"refs/heads/main","version":52,"waiting_reason":"","waiting_subject":""}');
INSERT INTO txns VALUES('t-5','fix auth','open',67,'{"attached":false,"attempts":[],"author":null,"command":["sh","-c","echo %FF 100%25"],"committer":{"email":"ada@example.org","name":"Ada"},"created_wall_ms":1700000000000,"id":"t-5","isolation":"strict","landed_commit":"","name":"fix auth","owner":"Ada <ada@example.org>","phase":"plan","priority":0,"slot":0,"state":"open","subdir":"","target":"refs/heads/main","version":69,"waiting_reason":"","waiting_subject":"","workflow":"w-1"}');
INSERT INTO txns VALUES('t-6','fix auth','aborted',74,'{"attached":false,"attempts":[{"base":"0000000000000000000000000000000000000003","base_seq":0,"command_exit":null,"kept":"","number":1,"reads":"","reads_complete":false,"tool_env":"","traces":[],"unknown_reason":"","worktree":"/state/repo/1/tree","writes":""}],"author":null,"command":["sh","-c","echo %FF 100%25"],"committer":{"email":"ada@example.org","name":"Ada"},"created_wall_ms":1700000000000,"id":"t-6","isolation":"strict","landed_commit":"","name":"fix auth","owner":"Ada <ada@example.org>","priority":0,"slot":0,"state":"aborted","subdir":"","target":"refs/heads/main","version":77,"waiting_reason":"","waiting_subject":""}');
CREATE TABLE branches (
  name         TEXT    PRIMARY KEY,
  head         TEXT    NOT NULL,
  durable_head TEXT    NOT NULL,
  prepared_seq INTEGER NOT NULL,
  prepared     TEXT    NOT NULL,
  fence        TEXT    NOT NULL
) STRICT;
INSERT INTO branches VALUES('refs/heads/main','0000000000000000000000000000000000000003','0000000000000000000000000000000000000003',0,'','0000000000000000000000000000000000000004');
CREATE TABLE landed (
  seq      INTEGER PRIMARY KEY,
  branch   TEXT    NOT NULL,
  txn      TEXT    NOT NULL,
  old_head TEXT    NOT NULL,
  new_head TEXT    NOT NULL,
  time     TEXT    NOT NULL,
  who      TEXT    NOT NULL
) STRICT;
INSERT INTO landed VALUES(3,'refs/heads/main','','0000000000000000000000000000000000000001','0000000000000000000000000000000000000002','2023-11-14T22:13:20.000Z','Ada <a@example.org>');
INSERT INTO landed VALUES(26,'refs/heads/main','t-1','0000000000000000000000000000000000000002','0000000000000000000000000000000000000003','2023-11-14T22:13:20.000Z','');
CREATE TABLE certificates (
  seq  INTEGER PRIMARY KEY,
  tree TEXT    NOT NULL,
  body TEXT    NOT NULL
) STRICT;
INSERT INTO certificates VALUES(53,'','{"duration_ms":0,"exit_status":0,"gate":"test","gate_version":"","inputs":"","output":"","parent":"","passed":false,"timed_out":false,"tool_env":"","tree":"","txn":""}');
CREATE TABLE trust (
  hash  TEXT    PRIMARY KEY,
  actor TEXT    NOT NULL,
  seq   INTEGER NOT NULL
) STRICT;
INSERT INTO trust VALUES('abc','Ada',54);
CREATE TABLE summaries (
  name     TEXT PRIMARY KEY,
  manifest TEXT NOT NULL,
  time     TEXT NOT NULL
) STRICT;
INSERT INTO summaries VALUES('overview','abc','2023-11-14T22:13:20.000Z');
CREATE TABLE tickets (
  number   INTEGER PRIMARY KEY,
  branch   TEXT    NOT NULL,
  txn      TEXT    NOT NULL,
  priority INTEGER NOT NULL,
  owner    TEXT    NOT NULL
) STRICT;
CREATE TABLE workflows (
  id          TEXT    PRIMARY KEY,
  created_seq INTEGER NOT NULL,
  body        TEXT    NOT NULL
) STRICT;
INSERT INTO workflows VALUES('w-1',64,'{"actor":"Ada","branch":"refs/heads/main","id":"w-1","name":"feature","phases":[{"name":"plan","state":"overridden","version":4},{"name":"build","state":"open","version":5},{"name":"ship","state":"pending","version":3}],"version":5}');
CREATE TABLE phase_gates (
  workflow TEXT    NOT NULL,
  phase    TEXT    NOT NULL,
  gate     TEXT    NOT NULL,
  seq      INTEGER NOT NULL,
  body     TEXT    NOT NULL,
  PRIMARY KEY (workflow, phase, gate)
) STRICT;
INSERT INTO phase_gates VALUES('w-1','plan','plan-is-there',65,'{"certificate":"","gate":"plan-is-there","gate_version":"","head":"0000000000000000000000000000000000000003","kind":"artifact","passed":false,"phase":"plan","version":1,"why":""}');
CREATE TABLE verdicts (
  workflow TEXT    NOT NULL,
  phase    TEXT    NOT NULL,
  name     TEXT    NOT NULL,
  seq      INTEGER NOT NULL,
  body     TEXT    NOT NULL,
  PRIMARY KEY (workflow, phase, name)
) STRICT;
INSERT INTO verdicts VALUES('w-1','plan','review',66,'{"actor":"Ada","name":"review","note":"","passed":false,"phase":"plan","version":1}');
CREATE TABLE members (
  txn      TEXT    PRIMARY KEY,
  workflow TEXT    NOT NULL,
  phase    TEXT    NOT NULL,
  seq      INTEGER NOT NULL,
  body     TEXT    NOT NULL
) STRICT;
INSERT INTO members VALUES('t-5','w-1','plan',69,'{"gates":"abc","phase":"plan","phase_version":1,"workflow":"w-1","workflow_version":1}');
CREATE TABLE compensations (
  txn    TEXT    NOT NULL,
  number INTEGER NOT NULL,
  ended  INTEGER NOT NULL,
  body   TEXT    NOT NULL,
  PRIMARY KEY (txn, number)
) STRICT;
INSERT INTO compensations VALUES('t-6',1,1,'{"argv":["make","down"],"attempt":1,"ended":true,"exit":0,"name":"take it down","number":1,"output":"","runs":1,"timed_out":false}');
CREATE TABLE leases (
  number   INTEGER PRIMARY KEY,
  id       TEXT    NOT NULL UNIQUE,
  body     TEXT    NOT NULL,
  held     INTEGER NOT NULL,
  owner    TEXT    NOT NULL,
  slot     INTEGER NOT NULL,
  ttl_ms   INTEGER NOT NULL,
  until_ms INTEGER NOT NULL,
  boot     TEXT    NOT NULL,
  fence    INTEGER NOT NULL
) STRICT;
INSERT INTO leases VALUES(80,'l-80','{"force":"advisory","number":80,"owner":"Ada","sharing":"exclusive","slot":7,"subjects":[{"kind":"prefix","path":"docs"}],"ttl_ms":60000,"txn":""}',0,'Ada',7,60000,0,'',0);
CREATE TABLE usage_items (
  id     TEXT    PRIMARY KEY,
  input  INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cache  INTEGER NOT NULL,
  cost   INTEGER NOT NULL,
  calls  INTEGER NOT NULL,
  wall   INTEGER NOT NULL,
  bytes  INTEGER NOT NULL
) STRICT;
INSERT INTO usage_items VALUES('answer-1',10,20,0,0,0,0,0);
CREATE TABLE usage_totals (
  scope  TEXT    PRIMARY KEY,
  input  INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cache  INTEGER NOT NULL,
  cost   INTEGER NOT NULL,
  calls  INTEGER NOT NULL,
  wall   INTEGER NOT NULL,
  bytes  INTEGER NOT NULL
) STRICT;
INSERT INTO usage_totals VALUES('txn:t-1',10,20,0,0,0,0,0);
INSERT INTO usage_totals VALUES('owner:Ada <ada@example.org>',10,20,0,0,0,0,0);
CREATE TABLE budgets (
  scope   TEXT    NOT NULL,
  kind    TEXT    NOT NULL,
  most    INTEGER NOT NULL,
  version INTEGER NOT NULL,
  level   INTEGER NOT NULL,
  PRIMARY KEY (scope, kind)
) STRICT;
INSERT INTO budgets VALUES('txn:t-1','input',10,88,2);
CREATE TABLE consumers (
  name          TEXT    PRIMARY KEY,
  kind          TEXT    NOT NULL,
  ttl_ms        INTEGER NOT NULL,
  types         TEXT    NOT NULL,
  start         INTEGER NOT NULL,
  registered    INTEGER NOT NULL,
  registered_ms INTEGER NOT NULL,
  stale_at      INTEGER NOT NULL
) STRICT;
INSERT INTO consumers VALUES('audit','durable',0,'',103,103,1700000000000,-1);
CREATE TABLE handlers (
  name        TEXT    PRIMARY KEY,
  event       INTEGER NOT NULL,
  attempt     INTEGER NOT NULL,
  state       TEXT    NOT NULL,
  exit        INTEGER NOT NULL,
  timed_out   INTEGER NOT NULL,
  output      TEXT    NOT NULL,
  retry_at_ms INTEGER NOT NULL
) STRICT;
INSERT INTO handlers VALUES('tell',3,0,'failing',1,0,'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',0);
CREATE TABLE proposals (
  number    INTEGER PRIMARY KEY,
  state     TEXT    NOT NULL,
  body      TEXT    NOT NULL,
  embedding TEXT    NOT NULL
) STRICT;
INSERT INTO proposals VALUES(92,'promoted','{"actor":"bot","became":["txn:t-1","workflow:w-1"],"best_score":420,"by":"Ada","id":"p-92","made":"2023-11-14T22:13:20.000Z","reason":"because","repeats":1,"score":420,"source":"","state":"promoted","text":"the queue is not fair","txn":"","yes":"override"}','1 -2 32767');
INSERT INTO proposals VALUES(97,'dismissed','{"actor":"bot","became":[],"best_score":420,"by":"Ada","id":"p-97","made":"2023-11-14T22:13:20.000Z","reason":"no","repeats":0,"score":420,"source":"","state":"dismissed","text":"the queue is not fair","txn":"","yes":null}','1 -2 32767');
CREATE TABLE portfolio (
  name TEXT PRIMARY KEY,
  body TEXT NOT NULL
) STRICT;
CREATE TABLE relayed (
  source  TEXT    NOT NULL,
  subject TEXT    NOT NULL,
  seq     INTEGER NOT NULL,
  body    TEXT    NOT NULL,
  PRIMARY KEY (source, subject)
) STRICT;
INSERT INTO relayed VALUES('urn:uuid:2','w-1',7,'{"data":{},"hash":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","place":"/somewhere","seq":7,"subject":"w-1","time":"2026-01-01T00:00:00.000Z","type":"phase.advanced"}');
CREATE INDEX events_by_subject ON events (subject, seq);
CREATE INDEX events_by_type ON events (type, seq);
CREATE TRIGGER events_are_never_updated BEFORE UPDATE ON events
  BEGIN SELECT raise(ABORT, 'events are append-only'); END;
CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
  WHEN NOT EXISTS (SELECT 1 FROM log WHERE pruned >= OLD.seq)
  BEGIN SELECT raise(ABORT, 'events are append-only'); END;
CREATE TRIGGER log_begins_later_only BEFORE UPDATE ON log
  WHEN NEW.pruned < OLD.pruned OR NEW.id <> OLD.id
  BEGIN SELECT raise(ABORT, 'a log keeps its name, and never begins earlier'); END;
CREATE INDEX txns_by_name ON txns (name);
CREATE INDEX txns_by_state ON txns (state, begun_seq);
CREATE INDEX txns_by_age ON txns (begun_seq);
CREATE INDEX landed_by_branch ON landed (branch, seq);
CREATE INDEX certificates_by_tree ON certificates (tree, seq);
CREATE INDEX tickets_by_branch ON tickets (branch, number);
CREATE INDEX members_by_phase ON members (workflow, phase);
COMMIT;
PRAGMA application_id = 1735686254;
PRAGMA user_version = 3;
