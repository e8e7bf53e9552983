#!/bin/sh
# Slurm's commands for tests, under whichever name this is called. A submitted array runs at once, before sbatch says
# its number. What is to go wrong stands in files in $FAKE:
#   gone     so many calls find no controller        refuse   sbatch refuses, in these words
#   hold     tasks stay in the queue, but for those listed in it
#   hopeless tasks with one of these instances fail  lose     the first so many tasks time out
#   twice    tasks run twice                         before   is run before an array
#   stuck    scancel fails
name=$(basename "$0")
complain() { echo "$name: error: $1" >&2; exit 1; }
gone=$(cat "$FAKE/gone" 2>/dev/null || echo 0)
if [ "$gone" -gt 0 ]; then
    echo $((gone - 1)) >"$FAKE/gone"
    complain "Unable to contact slurm controller (connect failure)"
fi
echo "$name $*" >>"$FAKE/calls"
case $name in
scontrol) echo "MaxArraySize            = 4" ;;
squeue) cat "$FAKE/queue" 2>/dev/null || true ;;
scancel)
    [ ! -e "$FAKE/stuck" ] || complain "Kill job error on job id $1: Access/permission denied"
    for job in "$@"; do sed -i "s/^\($job|[0-9]*|\)RUNNING/\1CANCELLED/" "$FAKE/queue"; done
    ;;
sbatch)
    [ ! -e "$FAKE/refuse" ] || complain "$(cat "$FAKE/refuse")"
    for option in "$@"; do
        case $option in
        --job-name=*) job=${option#*=} ;;
        --array=0-*) last=${option#*=0-} ;;
        --output=*) log=${option#*=} ;;
        esac
    done
    number=$(grep -c ^sbatch "$FAKE/calls")
    cat >"$FAKE/script"
    folder=$(dirname "$(dirname "$log")")
    [ ! -e "$FAKE/before" ] || sh "$FAKE/before" "$folder"
    for SLURM_ARRAY_TASK_ID in $(seq 0 "$last"); do
        export SLURM_ARRAY_TASK_ID
        task=${job##*.}-$SLURM_ARRAY_TASK_ID
        state=COMPLETED
        lose=$(cat "$FAKE/lose" 2>/dev/null || echo 0)
        if [ -e "$FAKE/hold" ] && ! grep -qx -e "$task" "$FAKE/hold"; then
            state=RUNNING
        elif [ "$lose" -gt 0 ]; then
            echo $((lose - 1)) >"$FAKE/lose"
            state=TIMEOUT
        elif [ -e "$FAKE/hopeless" ] && grep -qf "$FAKE/hopeless" "$folder/tasks/$task.json"; then
            state=FAILED
            echo "no more memory" >"$folder/logs/$task.log"
        else
            [ ! -e "$FAKE/twice" ] || sh "$FAKE/script" >/dev/null 2>&1
            sh "$FAKE/script" >"$folder/logs/$task.log" 2>&1 || state=FAILED
        fi
        echo "$number|$SLURM_ARRAY_TASK_ID|$state|$job" >>"$FAKE/queue"
    done
    echo "$number"
    ;;
esac
