/* The host side of the in-kernel profiler, in plain C: liblockstep_session.so.
 *
 *   lockstep_session* session;
 *   lockstep_session_create(LOCKSTEP_CURRENT_DEVICE, &session);
 *   lockstep_channel_config config;
 *   lockstep_channel_config_init(&config);
 *   config.blocks = 132;
 *   lockstep_channel* channel;
 *   lockstep_channel_create(session, &config, "gemm", 0, 0, &channel);
 *   lockstep_channel_advance(channel, stream, LOCKSTEP_ADVANCE_PLAIN);   before every launch
 *   gemm<<<132, 256, 0, stream>>>(..., (void*)lockstep_channel_pointer(channel));
 *   lockstep_session_collect(session, "gemm.lkp", 0);
 *   lockstep_session_destroy(session);
 *
 * Functions that return int return 0, or a lockstep_code; lockstep_last_error() then has
 * the sentence. A session and its channels are used by one thread at a time, except that different
 * channels may be advanced by different threads.
 */
#ifndef LOCKSTEP_SESSION_H
#define LOCKSTEP_SESSION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers are the exit codes of the program lockstep. */
typedef enum lockstep_code {
  LOCKSTEP_OK = 0,
  LOCKSTEP_USAGE = 2,    /* an argument does not make sense */
  LOCKSTEP_UNUSABLE = 3, /* no driver, no memory, a file that cannot be written, a damaged buffer */
  LOCKSTEP_INTERNAL = 4  /* a fault of the library */
} lockstep_code;

/* The sentence of the last call of this thread that failed; empty before the first. Valid until the
 * thread's next call. */
const char* lockstep_last_error(void);

/* "0.1.0" */
const char* lockstep_version(void);

/* Which blocks of a launch are recorded. */
typedef enum lockstep_selection {
  LOCKSTEP_ALL_BLOCKS = 0,
  LOCKSTEP_EVERY_NTH = 1, /* blocks 0, n, 2 n, ... */
  LOCKSTEP_LISTED = 2,
  LOCKSTEP_ONE_PER_SM = 3 /* one block of each multiprocessor in every launch: the first to ask for
                             its lane, at init in global memory, at its end in shared memory */
} lockstep_selection;

typedef struct lockstep_channel_config {
  size_t struct_bytes;           /* set by lockstep_channel_config_init */
  uint64_t blocks;               /* of the largest launch; not needed with LOCKSTEP_ONE_PER_SM */
  uint32_t groups;               /* of a block; 1 */
  uint32_t records;              /* a lane holds at least so many; 1,022 */
  uint32_t has_region_records;   /* 1: the kernel writes region records of 16 bytes; 0 */
  uint32_t launch_slots;         /* launches that are kept, a power of two; 1 */
  uint32_t anchor_capacity;      /* interior anchors of a lane; 64 */
  uint32_t anchor_interval_ns;   /* between them; 0: only those taken by hand; 20,000 */
  uint32_t selection;            /* lockstep_selection; LOCKSTEP_ALL_BLOCKS */
  uint32_t selection_step;       /* of LOCKSTEP_EVERY_NTH; 1 */
  const uint64_t* listed_blocks; /* of LOCKSTEP_LISTED; read during calls only */
  size_t listed_count;
  uint32_t multiprocessors; /* of LOCKSTEP_ONE_PER_SM; 0: those of the session's device */
} lockstep_channel_config;

/* Fills in the defaults named above. */
void lockstep_channel_config_init(lockstep_channel_config* config);

typedef struct lockstep_session lockstep_session;
typedef struct lockstep_channel lockstep_channel;

#define LOCKSTEP_CURRENT_DEVICE (-1)

/* Loads the CUDA driver and opens the device with that ordinal, or the one of the current context
 * (else the first). Takes some 100 us of device time to measure its timer. */
int lockstep_session_create(int device, lockstep_session** session);

/* Frees its channels too; no kernel may use them any more. NULL is nothing. The session is gone
 * whatever is returned: a code tells that the driver failed to take something back. */
int lockstep_session_destroy(lockstep_session* session);

/* Names of events, by event. The strings are copied. */
int lockstep_session_set_event_names(lockstep_session* session, const char* const* names,
                                     size_t count);

typedef struct lockstep_device {
  char name[128];
  char arch[16];            /* "sm_90" */
  uint32_t multiprocessors; /* their ids are below it */
  double clock_ghz;
  double timer_tick_ns;
} lockstep_device;
int lockstep_session_device(const lockstep_session* session, lockstep_device* device);

/* Bytes that a buffer needs at any address aligned to 16. `session` may be NULL where the selection
 * does not need the device's multiprocessors. */
int lockstep_required_bytes(const lockstep_session* session, const lockstep_channel_config* config,
                            uint64_t* bytes);

/* A channel: memory for launches that never overlap each other. `buffer` 0: the channel allocates
 * its own; else device memory of the caller (a tensor's pointer) that outlives the channel. Nothing
 * needs zeroing. `kernel` names its launches in the file; may be NULL. */
int lockstep_channel_create(lockstep_session* session, const lockstep_channel_config* config,
                            const char* kernel, uint64_t buffer, uint64_t buffer_bytes,
                            lockstep_channel** channel);
/* The channel is gone whatever is returned. */
int lockstep_channel_destroy(lockstep_channel* channel);

/* What the kernel is given. */
uint64_t lockstep_channel_pointer(const lockstep_channel* channel);

enum {
  LOCKSTEP_ADVANCE_PLAIN = 0,
  /* In a programmatic dependent chain: launched with programmatic stream serialization, lets the
   * kernel behind start at once, and changes the number when the kernel ahead has ended. Needs
   * compute capability 9.0. The profiled kernel has OverlappedPolicy, and calls finalize() after
   * its own griddepcontrol.wait. */
  LOCKSTEP_ADVANCE_DEPENDENT = 1
};

/* Gives the next launch on the stream (CUstream or cudaStream_t; NULL: the default stream) the next
 * number, by a kernel of one thread. Can be captured into a graph: it then counts every replay. */
int lockstep_channel_advance(lockstep_channel* channel, void* stream, uint32_t flags);

/* 0: the markers of launches that start afterwards write nothing. */
int lockstep_channel_set_enabled(lockstep_channel* channel, int is_enabled);

typedef struct lockstep_counts {
  uint64_t launches; /* with at least one lane */
  uint64_t lanes;
  uint64_t records;
  uint64_t dropped_records;      /* passed by a program, but not kept */
  uint64_t overwritten_launches; /* older than the launches that are kept */
  uint64_t stale_lanes;          /* left over from such launches */
  uint64_t unfinished_lanes;     /* begun, but never finalized */
  uint64_t lost_leaders;         /* beyond the lanes that the channel was made for */
  uint64_t mixed_lanes;          /* of a launch that was not advanced: its number has two grids */
} lockstep_counts;

/* Waits for the device, copies what was recorded (only that) and writes it as .lkp. `counts` may be
 * NULL. Here and below, a path that ends in .zst is compressed; one that ends in .gz is refused. */
int lockstep_session_collect(lockstep_session* session, const char* path, lockstep_counts* counts);
int lockstep_channel_collect(lockstep_channel* channel, const char* path, lockstep_counts* counts);

/* ---- Without a driver: HIP, or a program that copies its buffers itself ---------------------- */

/* How many bytes the host writes to the start of a buffer before its first launch. */
int lockstep_first_bytes_size(const lockstep_channel_config* config, uint64_t* bytes);
/* Those bytes, for a buffer at that device address. `into` has lockstep_first_bytes_size bytes. */
int lockstep_first_bytes(const lockstep_channel_config* config, uint64_t address, void* into);

typedef struct lockstep_copy {
  const void* bytes; /* a channel's buffer, whole, copied to the host */
  uint64_t size;
  const char* kernel; /* may be NULL */
} lockstep_copy;

typedef struct lockstep_meta {
  const char* device;   /* may be NULL */
  const char* arch;     /* may be NULL */
  double clock_ghz;     /* 0: not known */
  double timer_tick_ns; /* 0: not known */
  const char* const* event_names;
  size_t event_count;
} lockstep_meta;

/* lockstep_session_collect for copies. `meta` and `counts` may be NULL. */
int lockstep_collect_from_memory(const lockstep_copy* copies, size_t count,
                                 const lockstep_meta* meta, const char* path,
                                 lockstep_counts* counts);

/* Writes the buffer that TVM's CudaProfiler (or lockstep/cuda_profiler.h) filled as a Perfetto
 * trace. `words` is the buffer after the launch, copied to the host; names are by event. */
int lockstep_export_perfetto(const uint64_t* words, size_t count, const char* path,
                             const char* const* event_names, size_t event_count);

/* What lockstep_export_perfetto found wrong in the buffer of this thread's last call, a line each;
 * empty: nothing. Valid until the thread's next call. */
const char* lockstep_last_findings(void);

#ifdef __cplusplus
}
#endif

#endif /* LOCKSTEP_SESSION_H */
