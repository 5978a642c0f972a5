#include <stdio.h>
#include "table.h"
#define LIMIT 16
#define MIN(a, b) ((a) < (b) ? (a) : (b))
struct entry {
  int key;
  char *value;
};
enum colour { RED, GREEN };
typedef struct entry entry_t;
static int used = 0;
char *names[LIMIT];
int put(struct entry *e, int key);
char *find(int key);
#ifdef DEBUG
void dump(void);
#endif
int put(struct entry *e, int key) {
  int local = key;
  return local;
}
char *find(int key) { return names[key]; }
